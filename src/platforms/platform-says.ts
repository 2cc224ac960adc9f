import type { PublishError } from './publisher.js';

/** Tags and white space of a page: what is left are its words. */
const MARKUP = /<(?:script|style)\b[\s\S]*?<\/(?:script|style)\s*>|<[^>]*>|[\s\p{Cc}]+/giu;
/** Of a page, this much is looked at for words, bytes. */
const LOOKED_AT = 4_096;

/** What an answer that is none of the API's says to people: the words of a page, or nothing. */
export const wordsIn = (body: Buffer): string =>
  body.toString('utf8', 0, LOOKED_AT).replace(MARKUP, ' ').replace(/ +/g, ' ').trim();

/** What a network says is kept up to so many UTF-16 units. */
const MAX_LENGTH = 500;

/**
 * A network's own words for {@link PublishError.platform_says}: shortened, and without a credential that an answer may
 * echo. Nothing where it says nothing.
 */
export const platformSays = (
  words: string | undefined,
  credentials: Readonly<Record<string, string>>,
): Pick<PublishError, 'platform_says'> => {
  if (!words) return {};
  const secrets = Object.values(credentials).filter((secret) => secret !== '');
  const masked = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***'),
    words,
  );
  return { platform_says: masked.slice(0, MAX_LENGTH) };
};
