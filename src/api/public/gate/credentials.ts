import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Instant } from '../../../kernel/instant.js';

/** Spec: Authentication, 4: the window on both sides. */
const TIMESTAMP_WINDOW_S = 5 * 60;
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;
const BEARER = /^Bearer +([^\s]+) *$/i;

/** The token of an Authorization header; empty where there is none, which matches nothing. */
export const bearerToken = (header: string | undefined): string => BEARER.exec(header ?? '')?.[1] ?? '';

/** The two hashes in hand: nothing waits between filling and comparing them, so that one pair does for all. */
const HEX_DIGITS = 64;
const given = Buffer.alloc(HEX_DIGITS);
const stored = Buffer.alloc(HEX_DIGITS);

/** Compares a token with a stored SHA-256 (hex) in constant time; costs the same whatever the outcome. */
export const tokenMatches = (token: string, storedHash: string): boolean => {
  given.write(hash('sha256', token), 'latin1');
  return stored.write(storedHash, 'latin1') === HEX_DIGITS && timingSafeEqual(given, stored);
};

type Range = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Ranges of allowlists, read once each: reading costs more than all else that authentication does. */
const read = new WeakMap<readonly string[], readonly Range[]>();
/** What is looked through where there is no allowlist, so that one cannot be noticed by the time it takes. */
const NO_ALLOWLIST = ['0.0.0.0/32'];

/** True for an address inside the allowlist, and for every address where there is none. The list must not change. */
export const addressAllowed = (ip: string, allowlist: readonly string[]): boolean => {
  const isListed = isInside(ip, allowlist.length === 0 ? NO_ALLOWLIST : allowlist);
  return isListed || allowlist.length === 0;
};

const isInside = (ip: string, allowlist: readonly string[]): boolean => {
  if (isIP(ip) === 0) return false; // ipaddr.js alone would take 0xcb.0.113.7 as well
  const address = ipaddr.process(ip);
  let ranges = read.get(allowlist);
  if (!ranges) read.set(allowlist, (ranges = allowlist.map(rangeOf)));
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
};

const rangeOf = (entry: string): Range => {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};

/**
 * Unix seconds within five minutes of now, either side included (publish-api.md: Authentication, 4). Now is taken in whole seconds as
 * well: against milliseconds, the second that is five minutes old would never be inside.
 */
export const timestampAccepted = (header: string | undefined, now: Instant): boolean =>
  header !== undefined &&
  /^\d{1,12}$/.test(header) &&
  Math.abs(Number(header) - Math.floor(now / 1_000)) <= TIMESTAMP_WINDOW_S;

/**
 * Checks an HMAC-SHA256 against each secret (two while one is being rotated, D-40), in constant time. The header's
 * prefix may be absent and its hex of either case (publish-api.md: Authentication, 5).
 */
export const signatureMatches = (
  header: string | undefined,
  signed: Buffer | string,
  secrets: readonly string[],
): boolean => {
  const wanted = secrets.map((secret) => createHmac('sha256', secret).update(signed).digest());
  return isOneOf(header, wanted);
};

/** Checks a signature's header against those that it may be, in constant time. @param wanted HMAC-SHA256 */
export const isOneOf = (header: string | undefined, wanted: readonly Buffer[]): boolean => {
  const hex = SIGNATURE.exec(header ?? '')?.[1];
  const given = Buffer.from(hex ?? '0'.repeat(64), 'hex');
  let matches = false;
  for (const one of wanted) if (timingSafeEqual(one, given)) matches = true;
  return matches && hex !== undefined;
};
