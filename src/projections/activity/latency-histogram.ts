import type { Latencies } from './activity.tables.js';

/** Natural logarithm of the ratio between the bounds of a latency class, which makes percentiles accurate to 5 %. */
const RATIO = Math.log(1.05);

/** Returns the class of a latency in ms. Negative latencies (due to clock differences) count as 0. */
export const classOfLatency = (ms: number): string => String(Math.ceil(Math.log(Math.max(1, ms)) / RATIO));

/**
 * Returns a latency percentile: the time in ms within which this share of publications was published, rounded up to the
 * bound of its latency class. Null if there are no publications.
 * @param share above 0, at most 1
 */
export const findPercentile = (all: readonly Latencies[], share: number): number | null => {
  const counts = new Map<number, number>();
  let total = 0;
  for (const latencies of all)
    for (const [name, count] of Object.entries(latencies)) {
      counts.set(Number(name), (counts.get(Number(name)) ?? 0) + count);
      total += count;
    }
  let left = Math.ceil(total * share);
  for (const [latencyClass, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Math.round(Math.exp(latencyClass * RATIO));
  }
  return null;
};
