import type { PublishError } from './publisher.js';

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
