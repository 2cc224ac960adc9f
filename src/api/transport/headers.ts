import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Headers of every response, unless its handler sets them (D-88). Only files that are the same for all may be stored. */
export const DEFAULT_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Adds the default headers to a server's responses, including the responses of hooks. */
export const addDefaultHeaders = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    void reply.header('x-content-type-options', DEFAULT_HEADERS['x-content-type-options']);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', DEFAULT_HEADERS['cache-control']);
    done();
  });
};

/** APIs that web pages may call. The other paths are pages themselves or are meant for operators' tools. */
const INTERFACES = /^\/(v1|manage\/v1|sse)\//;
/** Response headers that an allowed page may read, besides the headers that any page may read. */
const EXPOSED = [
  ...['x-request-id', 'x-position', 'etag', 'retry-after', 'www-authenticate'],
  ...['idempotency-replayed', 'idempotency-payload-mismatch', 'deprecation', 'sunset'],
];
/** How long a browser may cache a preflight response, in seconds. */
const MAX_AGE = 600;

/** CORS options for one response, in the framework's format. */
interface CorsAnswer {
  readonly origin: string | false;
  readonly methods?: string[];
  readonly exposedHeaders?: string[];
  readonly maxAge?: number;
}

/**
 * Returns a function that decides for each request whether a page may read the response (CORS_ORIGINS). The headers of
 * a request are not limited: other programs can send any header anyway. Cookies are not used, and not allowed.
 */
export const allowPages =
  (origins: readonly string[]) =>
  ({ headers, url }: FastifyRequest, done: (error: null, answer: CorsAnswer) => void): void => {
    const { origin } = headers;
    const isAllowed = origin !== undefined && origins.includes(origin) && INTERFACES.test(url);
    const allowed = { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], exposedHeaders: EXPOSED, maxAge: MAX_AGE };
    done(null, isAllowed ? { origin, ...allowed } : { origin: false });
  };

/**
 * Returns a header's value as text. Node decodes headers as Latin-1, but clients send UTF-8. Valid UTF-8 is therefore
 * decoded as UTF-8, so that a key has the length its sender expects and equals the same key in a body (D-19, D-43).
 * @param name in lower case; the header is sent at most once, or joined by commas
 */
export const readHeaderText = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name] as string | undefined;
  if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};

/** A revision's strong entity tag, as in the `ETag` response header. */
const TAG = /^"(\d{1,9})"$/;

/**
 * Returns the revisions listed in `If-Match`, separated by commas and written like an `ETag`: `"3"`. Null if the header
 * is missing or is `*`. Any other value, such as a weak tag, matches no revision.
 */
export const readIfMatch = (request: FastifyRequest): readonly number[] | null => {
  const sent = readHeaderText(request, 'if-match')?.trim();
  if (sent === undefined || sent === '*') return null;
  return sent.split(',').flatMap((tag) => {
    const [, revision] = TAG.exec(tag.trim()) ?? [];
    return revision === undefined ? [] : [Number(revision)];
  });
};
