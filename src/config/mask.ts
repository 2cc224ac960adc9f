/** Stands where a secret would; its length says nothing about the secret's. */
export const MASK = '********';

/**
 * A URL as it may be shown: the password, and query parameters that hold a secret, are masked. Works on text that is
 * no valid URL, too, because wrong values are shown as well; of one without a scheme nothing is shown, for nobody can
 * tell where in `host=db password=…` or `user:…@host` the secret stands.
 */
export const maskUrl = (url: string): string => (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? maskParts(url) : MASK);

const maskParts = (url: string): string =>
  url
    .replace(/^([^/?#]*\/\/[^:/?#]*):.*@/s, `$1:${MASK}@`)
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&#]*/gi, `$1${MASK}`);
