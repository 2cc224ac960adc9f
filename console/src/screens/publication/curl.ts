import type { Api } from '../../api/management.js';

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Returns the request that sent a post, as a curl command. The token is read from `$TOKEN`.
 * @param url the endpoint's; null if the endpoint was deleted: then `$URL`
 * @param key the idempotency key; null if there was none
 */
export const requestAsCurl = (
  url: string | null,
  payload: Api<'PostWithPayload'>['payload'],
  key: string | null,
): string =>
  [
    `curl ${url === null ? '"$URL"' : quote(url)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    ...(key === null ? [] : [`-H ${quote(`Idempotency-Key: ${key}`)}`]),
    `--data-binary ${quote(JSON.stringify(payload))}`,
  ].join(' \\\n  ');
