import { RepeatedFailure } from './failing-work.js';

describe('RepeatedFailure', () => {
  it('logs a message once, again after half a minute, and whenever it changes', () => {
    const failure = new RepeatedFailure();
    const logged = [0, 200, 29_999, 30_000, 30_200].filter((at) => failure.shouldLog('refused', at));
    expect(logged).toEqual([0, 30_000]);
    expect(failure.shouldLog('timed out', 30_300)).toBe(true);
    expect(failure.shouldLog('refused', 30_400)).toBe(true);
  });

  it('logs the same message again after a success', () => {
    const failure = new RepeatedFailure();
    failure.shouldLog('refused', 0);
    failure.clear();
    expect(failure.shouldLog('refused', 1)).toBe(true);
  });
});
