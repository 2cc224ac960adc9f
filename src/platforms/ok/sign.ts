import { createHash } from 'node:crypto';

/**
 * Returns a call's `sig` in lower-case hex (networks.md §1): the MD5 hash of all parameters except the token, sorted
 * and joined, followed by a key derived from the token and the application secret.
 */
export const signCall = (
  parameters: Readonly<Record<string, string>>,
  { accessToken, applicationSecret }: { readonly accessToken: string; readonly applicationSecret: string },
): string => {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return md5(sorted.map(([name, value]) => `${name}=${value}`).join('') + md5(accessToken + applicationSecret));
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
