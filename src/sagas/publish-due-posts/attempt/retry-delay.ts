import type { Instant } from '../../../kernel/instant.js';

/** Delays after each failure, in ms: five attempts fit into the 15 minutes of D-20. */
const DELAYS_MS = [2_000, 10_000, 50_000, 240_000];
const JITTER = 0.2;

/** Minimum delay when a network asks for a wait, in ms: a wait of 0 must not cause endless calls. */
const SHORTEST_MS = 1_000;

/**
 * Computes the time of the next attempt: after the wait that the network requests or, if there is none, after a delay
 * that grows with each failure. The delay has jitter, so that attempts that failed together do not retry together.
 * @param failures number of earlier failed attempts @param namedMs wait that the network requests; null if none
 */
export const computeRetryAt = (at: Instant, failures: number, namedMs: number | null): Instant => {
  if (namedMs !== null) return at + Math.max(SHORTEST_MS, namedMs);
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length - 1)]!;
  return Math.round(at + delay * (1 - JITTER + 2 * JITTER * Math.random()));
};
