import { Backoff, backoffDelay } from './backoff.js';

const bounds = { firstMs: 100, longestMs: 1_000 };

describe('backoffDelay', () => {
  it('doubles with every failure, up to the longest delay', () => {
    expect([0, 1, 2, 3, 4, 2_000].map((failures) => backoffDelay(bounds, failures))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
  });
});

describe('Backoff', () => {
  it('leaves out at most half of each delay', () => {
    const backoff = new Backoff(bounds);
    for (const longest of [100, 200, 400, 800, 1_000, 1_000]) {
      const delay = backoff.nextDelay();
      expect(delay).toBeGreaterThanOrEqual(longest / 2);
      expect(delay).toBeLessThanOrEqual(longest);
    }
  });

  it('starts again with the first delay after a reset', () => {
    const backoff = new Backoff(bounds);
    for (let failures = 0; failures < 5; failures++) backoff.nextDelay();
    backoff.reset();
    expect(backoff.nextDelay()).toBeLessThanOrEqual(100);
  });

  it('starts again with the first delay after a try that ran for the longest delay', () => {
    const backoff = new Backoff(bounds);
    for (let failures = 0; failures < 5; failures++) backoff.nextDelay(999);
    expect(backoff.nextDelay(999)).toBeGreaterThanOrEqual(500);
    expect(backoff.nextDelay(1_000)).toBeLessThanOrEqual(100);
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(100);
  });

  it('ends a wait at once when the signal is aborted', async () => {
    const abort = new AbortController();
    const waited = new Backoff({ firstMs: 3_600_000, longestMs: 3_600_000 }).wait(abort.signal);
    abort.abort();
    await waited;
  });
});
