import { computeRetryAt } from './attempt-state.js';

const T = 1_800_000_000_000;

describe('the time of the next attempt (D-20)', () => {
  it('keeps a wait that the network names to the millisecond', () => {
    for (const failures of [0, 3]) expect(computeRetryAt(T, failures, 7_000)).toBe(T + 7_000);
  });

  it('is at least a second later if the network names 0', () => {
    expect(computeRetryAt(T, 0, 0)).toBe(T + 1_000);
  });

  it.each([
    [0, 2_000],
    [1, 10_000],
    [2, 50_000],
    [3, 240_000],
    [40, 240_000],
  ])('after %i failures is %i ms later, jittered by a fifth', (failures, ms) => {
    const waits = Array.from({ length: 200 }, () => computeRetryAt(T, failures, null) - T);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(ms * 0.8);
    expect(Math.max(...waits)).toBeLessThanOrEqual(ms * 1.2);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
