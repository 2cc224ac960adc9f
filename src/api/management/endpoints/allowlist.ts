import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { described } from '../../../validation/wording.js';

const MAX_ENTRIES = 200;
const MAPPED_BITS = 96;

/**
 * Reads an IP allowlist (publish-api.md: Inbound endpoint): addresses and CIDRs in one spelling each, IPv4 written in IPv6 as IPv4,
 * because requests are matched so (security.md: Behind a proxy). A network with bits beyond its prefix is refused, not
 * widened in silence.
 * @param value an array, or told before
 */
export const readAllowlist = (value: unknown, problems: ProblemList): string[] => {
  if (!Array.isArray(value)) return [];
  if (value.length > MAX_ENTRIES)
    problems.add(422, 'ip_allowlist', 'too_many', `has ${value.length} items; at most ${MAX_ENTRIES} are allowed`);
  const entries = (value as unknown[]).slice(0, MAX_ENTRIES).map((entry, index) => {
    const read = typeof entry === 'string' ? canonical(entry) : NEITHER;
    if (typeof read === 'string') return read;
    problems.add(422, `ip_allowlist[${index}]`, 'bad_address', `${read.what}, not ${described(entry)}`);
    return '';
  });
  return [...new Set(entries)];
};

interface Refused {
  readonly what: string;
}

const NEITHER: Refused = { what: 'must be an IP address or a CIDR such as 203.0.113.0/24' };

const canonical = (entry: string): string | Refused => {
  const [text = '', bits, ...more] = entry.split('/');
  // ipaddr.js alone would take `10` and `0x7f.1` for addresses, and no request comes from a zone.
  if (isIP(text) === 0 || text.includes('%') || more.length > 0) return NEITHER;
  const given = ipaddr.parse(text);
  const address = ipaddr.process(text);
  const full = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return address.toString();
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return NEITHER;
  const prefix = Number(bits) - (given.kind() === address.kind() ? 0 : MAPPED_BITS);
  if (prefix < 0 || prefix > full) return { what: `must have a prefix that fits the address` };
  const network = networkOf(address, prefix);
  if (network === address.toString()) return `${network}/${prefix}`;
  return { what: `must be ${network}/${prefix} for the whole network, or ${address.toString()} for this one address` };
};

const networkOf = (address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string => {
  const cidr = `${address.toString()}/${prefix}`;
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(cidr).toString();
};
