import { KeyedPace } from './pace.js';

const INTERVAL_MS = 20;

const realNow = performance.now.bind(performance);
/** A pace's clock stands still unless a test moves it: on a busy machine, an interval may pass between two lines. */
let now: number;
beforeEach(() => {
  now = realNow();
  performance.now = () => now;
});
afterEach(() => {
  performance.now = realNow;
});

/** Requests several turns of a key at the same time. Returns how many ms later each turn began. */
const takeTurns = async (pace: KeyedPace, key: string, count: number): Promise<number[]> => {
  const startedAt = realNow();
  const turns = Array.from({ length: count }, async () => {
    await pace.wait(key);
    return realNow() - startedAt;
  });
  return Promise.all(turns);
};

describe('a pace for each key', () => {
  it('lets a burst pass, and the rest one in each interval and in order', async () => {
    const began = await takeTurns(new KeyedPace(INTERVAL_MS, 3), 'a', 6);
    expect(began).toEqual(began.toSorted((a, b) => a - b));
    // A timer may fire a little early.
    for (const [turn, ms] of began.entries())
      expect(ms).toBeGreaterThanOrEqual(Math.max(0, turn - 2) * INTERVAL_MS - 2);
  });

  it('delays no other key', async () => {
    const pace = new KeyedPace(250, 1);
    await pace.wait('a');
    const log: string[] = [];
    const second = pace.wait('a').then(() => log.push('a'));
    await pace.wait('b');
    log.push('b');
    await second;
    expect(log).toEqual(['b', 'a']);
  });

  it('lets a key wait for the turns that it took without waiting', async () => {
    const pace = new KeyedPace(250, 1);
    expect(pace.take('a', 1)).toBeLessThanOrEqual(0);
    expect(pace.take('a', 2)).toBeGreaterThan(250);
    const log: string[] = [];
    const settled = pace.settle('a').then(() => log.push('a'));
    await pace.settle('b');
    log.push('b');
    await settled;
    expect(log).toEqual(['b', 'a']);
  });

  it('grants a new burst after a rest', async () => {
    const pace = new KeyedPace(200, 5);
    await takeTurns(pace, 'a', 5);
    await pace.wait('a');
    const log: string[] = [];
    const waiting = pace.wait('a').then(() => log.push('without a rest'));
    now += 10_000;
    await takeTurns(pace, 'a', 5);
    log.push('after a rest');
    await waiting;
    expect(log).toEqual(['after a rest', 'without a rest']);
  });
});
