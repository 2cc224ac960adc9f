import type { FastifyRequest } from 'fastify';

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
