import { createHash } from 'node:crypto';

/**
 * Converts a publication's key to VK's `guid`: a positive 63-bit number in decimal, the same for every attempt. For an
 * hour, VK answers the same `guid` with the same post (networks.md §4), but the gateway does not rely on that alone
 * (D-41).
 */
export const toGuid = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};
