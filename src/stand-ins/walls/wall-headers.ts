/**
 * Headers of every response from a wall: browsers must trust the declared type, and no other page may learn the URL or
 * embed the response.
 */
const SHARED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

/**
 * Returns the headers of a page of walls. Only the page's own script and style run; media come from the server of the
 * page or, if a post refers to them by URL, from their hosts.
 * @param nonce nonce of the page's script and style
 */
export const pageHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  ...SHARED,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' https: http:",
    "media-src 'self' https: http:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});

/**
 * Headers of a wall's feeds and media: files from unknown sources, which must not run scripts even if opened as pages.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...SHARED,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};
