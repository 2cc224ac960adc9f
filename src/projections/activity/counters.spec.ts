import { classOfLatency, findPercentile } from './counters.js';

const histogramOf = (latencies: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const ms of latencies) counts[classOfLatency(ms)] = (counts[classOfLatency(ms)] ?? 0) + 1;
  return counts;
};

describe('the percentile of latencies', () => {
  it('is null without any', () => expect(findPercentile([{}, {}], 0.95)).toBeNull());

  it.each([1, 2, 17, 480, 1_234, 61_000, 7_200_000, 2_592_000_000])('of %i ms alone is at most 5 %% above it', (ms) => {
    const found = findPercentile([histogramOf([ms])], 0.95)!;
    expect(found).toBeGreaterThanOrEqual(ms * 0.99);
    expect(found).toBeLessThanOrEqual(ms * 1.06 + 1);
  });

  it('leaves the slowest twentieth out', () => {
    const [fast, slow] = [Array.from({ length: 95 }, (_, i) => i + 1), Array.from({ length: 5 }, () => 60_000)];
    expect(findPercentile([histogramOf(fast), histogramOf(slow)], 0.95)).toBeLessThan(105);
    expect(findPercentile([histogramOf([...fast.slice(1), ...slow])], 0.95)).toBeGreaterThan(59_000);
  });

  it('takes a negative latency for none', () => expect(findPercentile([histogramOf([-5])], 0.95)).toBe(1));
});
