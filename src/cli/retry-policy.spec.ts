import { nextAttemptIn } from './retry-policy.js';

/** Returns the waits until a client gives up. */
const waitsAfter = (status: number | null, retryAfter: number | null = null): number[] => {
  const waits: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const wait = nextAttemptIn({ status, retryAfter }, attempt);
    if (wait === null) return waits;
    waits.push(wait);
  }
};

describe('a client waits as the interface says', () => {
  it.each([
    ['an acceptance', 200, []],
    ['a repetition', 202, []],
    ['a fault of the request', 422, []],
    ['a limit', 429, [2, 4, 8, 16]],
    ['an outage that was announced', 503, [5, 15, 45, 120]],
    ['another failure', 500, [2, 4, 8]],
    ['no answer', null, [2, 4, 8]],
  ])('after %s (%s)', (_, status, waits) => expect(waitsAfter(status)).toEqual(waits));

  it('but as long as the answer to a limit says', () => {
    expect(waitsAfter(429, 1)).toEqual([1, 1, 1, 1]);
    expect(waitsAfter(503, 20)).toEqual([20, 20, 45, 120]);
  });
});
