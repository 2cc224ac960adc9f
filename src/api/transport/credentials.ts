import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Instant } from '../../kernel/clock.js';

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
