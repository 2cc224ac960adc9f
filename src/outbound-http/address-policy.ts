import ipaddr from 'ipaddr.js';

/** Decides which addresses the gateway may call on behalf of users (security.md, D-30). */
export interface AddressPolicy {
  /** True if some private addresses are allowed (for tests), along with plain http and other ports. */
  readonly allowsPrivate: boolean;
  /**
   * @param address an IP address as text; IPv4 written as IPv6 counts as IPv4
   * @returns false for an address that is not public, and for text that is not an address
   */
  allows(address: string): boolean;
}

/** Injection token for the process's {@link AddressPolicy}. */
export const ADDRESS_POLICY = Symbol('AddressPolicy');

/**
 * Creates a policy that allows public addresses and the given private ones (`ALLOW_PRIVATE_ADDRESSES`).
 * @param allowPrivate valid CIDRs
 */
export const createAddressPolicy = (allowPrivate: readonly string[]): AddressPolicy => {
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

/** Allows public addresses only: the default of `ALLOW_PRIVATE_ADDRESSES`. */
export const PUBLIC_ONLY = createAddressPolicy([]);

/** Global unicast addresses of IPv6; `range()` also reports other IPv6 addresses as unicast. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST));
