import { createHash } from 'node:crypto';

/** Converts a publication's key to VK's `guid` (networks.md §4): a positive 63-bit number in decimal. */
export const toGuid = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};
