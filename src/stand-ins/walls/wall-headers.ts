/**
 * Headers for every response from a wall: browsers must trust the declared type and store nothing, and other sites must
 * not learn the URL or show the response in a frame.
 */
const SHARED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

/**
 * Returns the headers for a page of walls. The page shares its origin with the console, so it is sandboxed: its script
 * cannot read what the console stores (ADR-250). Only the page's own script and style are allowed; media come from the
 * page's server or, if a post refers to them by URL, from any host.
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
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});

/**
 * Headers for a wall's feeds and media. Files from unknown sources must not run scripts, even if opened as pages. A
 * sandboxed page has the origin `null`.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...SHARED,
  'access-control-allow-origin': 'null',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};
