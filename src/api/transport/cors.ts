import type { FastifyRequest } from 'fastify';

/** Interfaces that pages may call; the rest are pages themselves, or for operators' programs. */
const INTERFACES = /^\/(v1|manage\/v1|sse)\//;
/** Headers of answers that a page may read, in addition to those that every page may. */
const EXPOSED = [
  ...['x-request-id', 'x-position', 'etag', 'retry-after', 'www-authenticate'],
  ...['idempotency-replayed', 'idempotency-payload-mismatch', 'deprecation', 'sunset'],
];
/** How long a browser keeps the answer to a preflight, in seconds. */
const MAX_AGE = 600;

/** The form of the framework's option. */
interface CorsAnswer {
  readonly origin: string | false;
  readonly methods?: string[];
  readonly exposedHeaders?: string[];
  readonly maxAge?: number;
}

/**
 * Returns a function that decides about each request whether a page may read its answer (CORS_ORIGINS). The headers of
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
