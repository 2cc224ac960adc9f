import { isUtf8 } from 'node:buffer';
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Instant } from '../../kernel/clock.js';

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

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address (publish-api.md: Authentication, 7; TRUSTED_PROXIES), without IPv6 mapping or zone. */
    clientAddress: string;
  }
}

/** Placeholder for an unknown address. Only an allowlist with an entry such as `0.0.0.0/0` contains it. */
const UNKNOWN = '0.0.0.0';

/**
 * Records the client's address with each request. It reads the address as soon as the client connects, because Node
 * forgets an unread address once the connection is closed, and the request log of an accepted post needs it.
 */
export const recordClientAddresses = (fastify: FastifyInstance): void => {
  fastify.server.on('connection', (socket: Socket) => void socket.remoteAddress);
  let last = { address: UNKNOWN, normalized: UNKNOWN };
  fastify.decorateRequest('clientAddress', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const address = readAddress(request);
    if (address !== last.address) last = { address, normalized: normalizeAddress(address) }; // often unchanged
    request.clientAddress = last.normalized;
    done();
  });
};

/**
 * Returns the client's address. If a proxy forwarded an invalid address, the nearest valid hop counts as the client.
 */
const readAddress = (request: FastifyRequest): string => {
  // Undefined if the client has disconnected, although Fastify's type does not say so.
  const address = request.ip as string | undefined;
  if (address !== undefined && isIP(address) !== 0) return address;
  return request.ips?.findLast((hop) => isIP(hop) !== 0) ?? UNKNOWN;
};

/**
 * Returns an address in the form used in allowlists and logs. A server that listens on `::` sees an IPv4 client as
 * `::ffff:192.0.2.7`, which becomes `192.0.2.7`. A zone (`fe80::1%br-lan`) is removed: it names a local interface, and
 * ipaddr.js throws for some zones that Node accepts.
 */
const normalizeAddress = (address: string): string =>
  isIPv6(address) ? ipaddr.process(address.replace(/%.*/, '')).toString() : address;

/** Maximum timestamp deviation in either direction, in s (publish-api.md: Authentication, 4). */
const TIMESTAMP_WINDOW_S = 5 * 60;
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;
const BEARER = /^Bearer +([^\s]+) *$/i;

/** Returns the token from an Authorization header. If there is none, returns an empty string, which matches no hash. */
export const readBearerToken = (header: string | undefined): string => BEARER.exec(header ?? '')?.[1] ?? '';

const HEX_DIGITS = 64;
/**
 * Buffers for the two hashes to compare. All requests can share them, because nothing is awaited while they are used.
 */
const sentBuffer = Buffer.alloc(HEX_DIGITS);
const storedBuffer = Buffer.alloc(HEX_DIGITS);

/** True if a token matches the stored SHA-256 (hex). Takes constant time. */
export const isTokenValid = (token: string, storedHash: string): boolean => {
  sentBuffer.write(hash('sha256', token), 'latin1');
  return storedBuffer.write(storedHash, 'latin1') === HEX_DIGITS && timingSafeEqual(sentBuffer, storedBuffer);
};

type Range = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Parsed allowlists, cached because parsing costs more than the rest of authentication. */
const parsedRanges = new WeakMap<readonly string[], readonly Range[]>();
/** Checked instead of an empty allowlist, so that the response time does not reveal whether the list is empty. */
const NO_ALLOWLIST = ['0.0.0.0/32'];

/** True if the allowlist contains the address or is empty. Do not modify the list afterwards: its ranges are cached. */
export const isAddressAllowed = (ip: string, allowlist: readonly string[]): boolean => {
  const isListed = isInside(ip, allowlist.length === 0 ? NO_ALLOWLIST : allowlist);
  return isListed || allowlist.length === 0;
};

const isInside = (ip: string, allowlist: readonly string[]): boolean => {
  if (isIP(ip) === 0) return false; // ipaddr.js alone would accept 0xcb.0.113.7 as well
  const address = ipaddr.process(ip);
  let ranges = parsedRanges.get(allowlist);
  if (!ranges) parsedRanges.set(allowlist, (ranges = allowlist.map(parseRange)));
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
};

const parseRange = (entry: string): Range => {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};

/**
 * True for Unix seconds within five minutes of now, inclusive (publish-api.md: Authentication, 4). The current time is
 * rounded down to whole seconds too; otherwise a second exactly five minutes old would never be accepted.
 */
export const isTimestampAccepted = (header: string | undefined, now: Instant): boolean =>
  header !== undefined &&
  /^\d{1,12}$/.test(header) &&
  Math.abs(Number(header) - Math.floor(now / 1_000)) <= TIMESTAMP_WINDOW_S;

/** Returns the seconds between a timestamp and now; null unless it is a Unix time in s or ms. */
export const measureSkew = (header: string | undefined, now: Instant): number | null =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) - Math.floor(now / 1_000) : null;

/**
 * True if a header is the HMAC-SHA256 of the signed data, using one of the secrets. Takes constant time. The header's
 * prefix is optional, and its hex digits may be in either case (publish-api.md: Authentication, 5).
 */
export const isSignatureValid = (
  header: string | undefined,
  signed: readonly (Buffer | string)[],
  secrets: readonly string[],
): boolean =>
  matchesAnySignature(
    header,
    secrets.map((secret) => sign(signed, secret)),
  );

/** Returns the HMAC-SHA256 of strings and bytes, one after the other. */
export const sign = (signed: readonly (Buffer | string)[], secret: string): Buffer => {
  const hmac = createHmac('sha256', secret);
  for (const part of signed) hmac.update(part);
  return hmac.digest();
};

/** True if a signature header matches one of these signatures. Takes constant time. @param expected HMAC-SHA256 */
export const matchesAnySignature = (header: string | undefined, expected: readonly Buffer[]): boolean => {
  const hex = SIGNATURE.exec(header ?? '')?.[1];
  const sent = Buffer.from(hex ?? '0'.repeat(64), 'hex');
  let matches = false;
  for (const signature of expected) if (timingSafeEqual(signature, sent)) matches = true;
  return matches && hex !== undefined;
};
