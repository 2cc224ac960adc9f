/** Replacement for a secret; its length reveals nothing about the secret. */
export const MASK = '********';

/**
 * Masks the password and any secret query parameters of a URL. Also accepts text that is not a valid URL, because error
 * messages show invalid values. Text without a scheme is masked completely, because the position of a secret in
 * `host=db password=…` or `user:…@host` is unknown.
 */
export const maskUrl = (url: string): string => (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? maskParts(url) : MASK);

const maskParts = (url: string): string =>
  url
    .replace(/^([^/?#]*\/\/[^:/?#]*):.*@/s, `$1:${MASK}@`)
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&#]*/gi, `$1${MASK}`);

/**
 * A host with an optional port and path, perhaps after part of a scheme: what people write when they forget the scheme.
 * A single word may be a secret, unless a port or a path follows.
 */
const HOST_WITHOUT_SCHEME =
  /^(?:https?(?::\/?|\/\/?))?(?:localhost|\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9-]+(?=:\d+|\/))(?::\d{1,5})?(?:\/[\w./-]*)?$/i;

/** Masks a base URL like {@link maskUrl}, but shows a plain host without a scheme. */
export const maskBaseUrl = (url: string): string => (HOST_WITHOUT_SCHEME.test(url) ? url : maskUrl(url));
