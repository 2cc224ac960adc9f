import type { Instant } from '../../../kernel/instant.js';

/** Five attempts within the 15 minutes of D-20: 2 s, 10 s, 50 s, 4 min. */
const DELAYS_MS = [2_000, 10_000, 50_000, 240_000];
const JITTER = 0.2;

/** A network that names no time at all must not be asked without end. */
const SHORTEST_MS = 1_000;

/**
 * When to try again. A wait that the network names is kept to the second; our own grows with each failure and is
 * spread, so that what failed together does not come back together.
 * @param failures failed attempts before this one
 */
export const retryAt = (at: Instant, failures: number, namedMs: number | null): Instant => {
  if (namedMs !== null) return at + Math.max(SHORTEST_MS, namedMs);
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length - 1)]!;
  return Math.round(at + delay * (1 - JITTER + 2 * JITTER * Math.random()));
};
