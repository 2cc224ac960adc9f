import { Batcher } from './batcher.js';

/** A batcher whose batches are answered when they are told to, and the sizes of those that were begun. */
const held = (options: ConstructorParameters<typeof Batcher<number, number>>[1]) => {
  const sizes: number[] = [];
  const answer: (() => void)[] = [];
  const batcher = new Batcher<number, number>((items) => {
    sizes.push(items.length);
    return new Promise((resolve) => answer.push(() => resolve(items.map((item) => item * 2))));
  }, options);
  const call = (count: number) => Promise.all(Array.from({ length: count }, (_, item) => batcher.call(item)));
  const turn = () => new Promise(setImmediate);
  const answerAll = async () => {
    for (await turn(); answer.length > 0; await turn()) answer.shift()!();
  };
  return { sizes, call, turn, answerAll };
};

describe('a batcher', () => {
  it('gathers what arrives while a batch is under way, and answers each call', async () => {
    const { sizes, call, turn, answerAll } = held({});
    const first = call(2);
    await turn();
    const second = call(300);
    await answerAll();
    expect(await first).toEqual([0, 2]);
    expect((await second).at(-1)).toBe(598);
    expect(sizes).toEqual([2, 300]);
  });

  it('breaks waves up: of many that wait it takes half', async () => {
    const { sizes, call, turn, answerAll } = held({ wave: 32 });
    const first = call(1);
    await turn();
    const second = call(100);
    await answerAll();
    await Promise.all([first, second]);
    expect(sizes).toEqual([1, 50, 32, 18]);
  });

  it('takes no more than its most for all that', async () => {
    const { sizes, call, turn, answerAll } = held({ wave: 32, max: 40 });
    const first = call(1);
    await turn();
    const second = call(200);
    await answerAll();
    await Promise.all([first, second]);
    expect(sizes).toEqual([1, 40, 40, 40, 40, 32, 8]);
  });

  it('never has two with the same key under way, in however many lanes, and keeps their order', async () => {
    const keysUnderWay = new Set<string>();
    const begun: string[] = [];
    const keyOf = (item: string) => item[0]!;
    const run = async (items: readonly string[]) => {
      for (const item of items) {
        expect(keysUnderWay).not.toContain(keyOf(item));
        keysUnderWay.add(keyOf(item));
        begun.push(item);
      }
      for (let turns = Math.floor(Math.random() * 4); turns >= 0; turns--) await new Promise(setImmediate);
      for (const item of items) keysUnderWay.delete(keyOf(item));
      return items.map((item) => `${item}!`);
    };
    const batcher = new Batcher(run, { keyOf, lanes: 3, wave: 4 });
    const items = Array.from({ length: 300 }, (_, i) => `${'abcdefgh'[((i * 7) % 8) % (1 + (i % 8))]!}${i}`);
    const calls: Promise<string>[] = [];
    for (const item of items) {
      calls.push(batcher.call(item));
      if (Math.random() < 0.1) await new Promise(setImmediate);
    }
    expect(await Promise.all(calls)).toEqual(items.map((item) => `${item}!`));
    for (const key of 'abcdefgh') {
      const of = (all: readonly string[]) => all.filter((item) => keyOf(item) === key);
      expect(of(begun)).toEqual(of(items));
    }
  });

  it('keeps batches of a crowd apart: who comes meanwhile joins the next', async () => {
    const begun: number[] = [];
    const sizes: number[] = [];
    const run = async (items: readonly number[]) => {
      begun.push(performance.now());
      sizes.push(items.length);
      return items;
    };
    const batcher = new Batcher(run, { spacing: 250, lanes: 2 });
    const call = (count: number) => Promise.all(Array.from({ length: count }, (_, item) => batcher.call(item)));
    await call(8);
    const second = call(2);
    await new Promise(setImmediate);
    const third = call(3);
    await Promise.all([second, third]);
    expect(sizes).toEqual([8, 5]);
    expect(begun[1]! - begun[0]!).toBeGreaterThanOrEqual(250);
  });

  it('never lets one wait who calls alone', async () => {
    const batcher = new Batcher(async (items: readonly number[]) => items, { spacing: 3_600_000 });
    for (let i = 0; i < 10; i++) expect(await batcher.call(i)).toBe(i);
    expect(await Promise.all([batcher.call(1), batcher.call(2)])).toEqual([1, 2]);
    expect(await batcher.call(3)).toBe(3);
  });
});
