import ipaddr from 'ipaddr.js';

/** Which addresses the service itself may call for somebody: media, webhooks, translation (security.md, D-30). */
export interface AddressPolicy {
  /** True where some private addresses are allowed, which is for tests: plain http and other ports then are as well. */
  readonly allowsPrivate: boolean;
  /**
   * @param address an IP address as text; IPv4 written in IPv6 counts as IPv4.
   * @returns false for what is not public, and for what is no address.
   */
  allows(address: string): boolean;
}

/**
 * Public addresses, and the private ones of `ALLOW_PRIVATE_ADDRESSES`.
 * @param allowPrivate CIDRs; settings have checked them.
 */
export const addressPolicy = (allowPrivate: readonly string[]): AddressPolicy => {
  const ranges = allowPrivate.map((cidr) => ipaddr.parseCIDR(cidr));
  const inRange = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
  return {
    allowsPrivate: ranges.length > 0,
    allows(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text);
      return isPublic(address) || inRange(address);
    },
  };
};

/** Nothing but public addresses: the rule outside tests. */
export const PUBLIC_ONLY = addressPolicy([]);

/** The Internet's own part of IPv6; `range()` calls much outside it unicast. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST));
