import { createHash } from 'node:crypto';

/**
 * A publication's key as VK's `guid`: a positive number of 63 bits in decimal, the same for every attempt. VK gives the
 * same post back for an hour (networks.md §4); nothing rests on that alone (D-41).
 */
export const guidOf = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};
