/** Stands where a secret would; its length says nothing about the secret's. */
export const MASK = '********';

/**
 * A URL as it may be shown: the password, and query parameters that hold a secret, are masked. Works on text that is
 * no valid URL, too, because wrong values are shown as well.
 */
export const maskUrl = (url: string): string =>
  url
    .replace(/^([^/?#]*\/\/[^:/?#]*):.*@/s, `$1:${MASK}@`)
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&#]*/gi, `$1${MASK}`);
