import type { PublishError } from './publisher.js';

/** Matches tags, scripts, style sheets and white space in a page; everything else is text. */
const MARKUP = /<(?:script|style)\b[\s\S]*?<\/(?:script|style)\s*>|<[^>]*>|[\s\p{Cc}]+/giu;
/** Number of bytes of a page to search for text. */
const SCANNED_BYTES = 4_096;

/** Returns the text in a response that does not come from the API, such as a proxy's page; empty if there is none. */
export const extractWords = (body: Buffer): string =>
  body.toString('utf8', 0, SCANNED_BYTES).replace(MARKUP, ' ').replace(/ +/g, ' ').trim();

/** Maximum length of a network's message, in UTF-16 units. */
const MAX_LENGTH = 500;

/**
 * Returns the network's own message, if any, for {@link PublishError.platform_says}: shortened and with credentials
 * masked.
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
