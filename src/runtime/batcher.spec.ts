import { Batcher } from './batcher.js';

const realNow = performance.now.bind(performance);
/** Stops the clock of batchers: on a busy machine, an interval or a wait may be over before the next line. */
const stopClock = (): void => {
  const now = realNow();
  performance.now = () => now;
};
const runClock = (): void => {
  performance.now = realNow;
};
beforeEach(stopClock);
afterEach(runClock);

/** Creates a batcher whose batches finish on demand, and records the sizes of the started batches. */
const createHeldBatcher = (options: ConstructorParameters<typeof Batcher<number, number>>[1]) => {
  const sizes: number[] = [];
  const finishers: (() => void)[] = [];
  const batcher = new Batcher<number, number>((items) => {
    sizes.push(items.length);
    return new Promise((resolve) => finishers.push(() => resolve(items.map((item) => item * 2))));
  }, options);
  const submitMany = (count: number) => Promise.all(Array.from({ length: count }, (_, item) => batcher.submit(item)));
  const turn = () => new Promise(setImmediate);
  const finishAll = async () => {
    for (await turn(); finishers.length > 0; await turn()) finishers.shift()!();
  };
  return { sizes, submitMany, turn, finishAll };
};

describe('Batcher', () => {
  it('collects the items that arrive while a batch runs, and returns a result to each caller', async () => {
    const { sizes, submitMany, turn, finishAll } = createHeldBatcher({});
    const first = submitMany(2);
    await turn();
    const second = submitMany(300);
    await finishAll();
    expect(await first).toEqual([0, 2]);
    expect((await second).at(-1)).toBe(598);
    expect(sizes).toEqual([2, 300]);
  });

  it('takes half of the waiting items if more than splitAbove wait', async () => {
    const { sizes, submitMany, turn, finishAll } = createHeldBatcher({ splitAbove: 32 });
    const first = submitMany(1);
    await turn();
    const second = submitMany(100);
    await finishAll();
    await Promise.all([first, second]);
    expect(sizes).toEqual([1, 50, 32, 18]);
  });

  it('never takes more than maxBatchSize items', async () => {
    const { sizes, submitMany, turn, finishAll } = createHeldBatcher({ splitAbove: 32, maxBatchSize: 40 });
    const first = submitMany(1);
    await turn();
    const second = submitMany(200);
    await finishAll();
    await Promise.all([first, second]);
    expect(sizes).toEqual([1, 40, 40, 40, 40, 32, 8]);
  });

  it('never runs two items with the same key at the same time, and keeps their order', async () => {
    const activeKeys = new Set<string>();
    const started: string[] = [];
    const keyOf = (item: string) => item[0]!;
    const run = async (items: readonly string[]) => {
      for (const item of items) {
        expect(activeKeys).not.toContain(keyOf(item));
        activeKeys.add(keyOf(item));
        started.push(item);
      }
      for (let turns = Math.floor(Math.random() * 4); turns >= 0; turns--) await new Promise(setImmediate);
      for (const item of items) activeKeys.delete(keyOf(item));
      return items.map((item) => `${item}!`);
    };
    const batcher = new Batcher(run, { keyOf, concurrency: 3, splitAbove: 4 });
    const items = Array.from({ length: 300 }, (_, i) => `${'abcdefgh'[((i * 7) % 8) % (1 + (i % 8))]!}${i}`);
    const calls: Promise<string>[] = [];
    for (const item of items) {
      calls.push(batcher.submit(item));
      if (Math.random() < 0.1) await new Promise(setImmediate);
    }
    expect(await Promise.all(calls)).toEqual(items.map((item) => `${item}!`));
    for (const key of 'abcdefgh') {
      const withKey = (all: readonly string[]) => all.filter((item) => keyOf(item) === key);
      expect(withKey(started)).toEqual(withKey(items));
    }
  });

  it('keeps the batches of concurrent callers apart: items that arrive in the interval join the next batch', async () => {
    const sizes: number[] = [];
    const run = async (items: readonly number[]) => {
      sizes.push(items.length);
      return items;
    };
    const batcher = new Batcher(run, { intervalMs: 250, concurrency: 2 });
    const submitMany = (count: number) => Promise.all(Array.from({ length: count }, (_, item) => batcher.submit(item)));
    await submitMany(8);
    const second = submitMany(2);
    await new Promise(setImmediate);
    const third = submitMany(3);
    runClock();
    await Promise.all([second, third]);
    expect(sizes).toEqual([8, 5]);
  });

  it('never delays a single caller', async () => {
    const batcher = new Batcher(async (items: readonly number[]) => items, { intervalMs: 3_600_000 });
    for (let i = 0; i < 10; i++) expect(await batcher.submit(i)).toBe(i);
    expect(await Promise.all([batcher.submit(1), batcher.submit(2)])).toEqual([1, 2]);
    expect(await batcher.submit(3)).toBe(3);
  });

  it('refuses items beyond the cap, and those that have waited too long; neither gets into a batch', async () => {
    const { sizes, submitMany, turn, finishAll } = createHeldBatcher({ maxWaiting: 3, maxWaitMs: 50, maxBatchSize: 2 });
    const running = submitMany(1);
    await turn();
    const waiting = Promise.allSettled([submitMany(1), submitMany(1), submitMany(1), submitMany(1)]);
    runClock();
    const outcomes = (await waiting).map((outcome) => outcome.status === 'rejected' && String(outcome.reason));
    expect(outcomes).toEqual([
      ...Array<string>(3).fill('Overloaded: waited 0.05 s because earlier calls to the database have not finished'),
      'Overloaded: too many calls are waiting for the database',
    ]);
    stopClock();
    await finishAll();
    expect(await running).toEqual([0]);
    const later = submitMany(2);
    await finishAll();
    expect(await later).toEqual([0, 2]);
    expect(sizes).toEqual([1, 2]);
  });
});
