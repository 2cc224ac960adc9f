import { types } from 'node:util';

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

const SECRET =
  /authorization|token|secret|passw|pwd$|credential|cookie|signature|api_?key|(operator|owner|secrets|application|private)_?key|connection_?string|database_?url/i;
const DEPTH = 6;

/**
 * Copies a value for the log and masks every field whose name suggests a secret, down to a depth of six. Errors are not
 * copied: they keep their class, because they are serialised elsewhere.
 */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || types.isNativeError(value) || types.isDate(value)) return value;
  if (depth > DEPTH) return '[…]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && canHoldText(inner) ? MASK : redact(inner, depth + 1),
    ]),
  );
};

/** True if a value can contain text: a number of tokens is not a secret. */
const canHoldText = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'number' && typeof value !== 'boolean';
