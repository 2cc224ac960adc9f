import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { describeValue, tooManyPredicate } from '../../../validation/wording.js';
import { ALLOWLIST_MESSAGES } from '../messages.js';

const MAX_ENTRIES = 200;
const MAPPED_BITS = 96;

/**
 * Parses an IP allowlist (publish-api.md: Inbound endpoint) into the canonical form that requests are matched against:
 * IPv4-mapped IPv6 becomes IPv4 (security.md: Behind a proxy). Rejects a network with bits beyond its prefix.
 * @param value already reported if it is not an array
 */
export const readAllowlist = (value: unknown, problems: ProblemList): string[] => {
  if (!Array.isArray(value)) return [];
  if (value.length > MAX_ENTRIES)
    problems.add(422, 'ip_allowlist', 'too_many', tooManyPredicate(value.length, MAX_ENTRIES));
  const entries = (value as unknown[]).slice(0, MAX_ENTRIES).map((entry, index) => {
    const read = typeof entry === 'string' ? canonicalise(entry) : NOT_AN_ADDRESS;
    if (typeof read === 'string') return read;
    problems.add(422, `ip_allowlist[${index}]`, 'bad_address', read(describeValue(entry)));
    return '';
  });
  return [...new Set(entries)];
};

/**
 * Returns the problem with an entry; the message appends it to the path.
 * @param value the entry as shown in messages
 */
type Complaint = (value: string) => string;

const NOT_AN_ADDRESS: Complaint = (value) => ALLOWLIST_MESSAGES.notAnAddress({ value });

const canonicalise = (entry: string): string | Complaint => {
  const [text = '', bits, ...more] = entry.split('/');
  // ipaddr.js alone would accept `10` and `0x7f.1` as addresses. No client address has a zone.
  if (isIP(text) === 0 || text.includes('%') || more.length > 0) return NOT_AN_ADDRESS;
  const given = ipaddr.parse(text);
  const address = ipaddr.process(text);
  const full = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return address.toString();
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return NOT_AN_ADDRESS;
  const prefix = Number(bits) - (given.kind() === address.kind() ? 0 : MAPPED_BITS);
  if (prefix < 0 || prefix > full) return (value) => ALLOWLIST_MESSAGES.badPrefix({ value });
  const network = networkAddress(address, prefix);
  if (network === address.toString()) return `${network}/${prefix}`;
  const both = { network: `${network}/${prefix}`, address: address.toString() };
  return (value) => ALLOWLIST_MESSAGES.hostBits({ ...both, value });
};

const networkAddress = (address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string => {
  const cidr = `${address.toString()}/${prefix}`;
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(cidr).toString();
};
