import { createHash } from 'node:crypto';

/**
 * Converts a publication's key to VK's `guid`: a positive number of 63 bits in decimal, the same for every attempt. VK
 * returns the same post for an hour (networks.md §4); the gateway does not rely on that alone (D-41).
 */
export const toGuid = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};
