import { type Append, AppendQueue } from './append-queue.js';

const MIB = 1_048_576;

/** Returns an append to its own stream, or to the given ones. */
const append = (name: string, bytes: number, streams = [name], count = streams.length): Append => {
  const [first, ...rest] = streams.map((stream) => ({ stream, expected: 'noStream' as const, events: [] }));
  const ignore = (): void => undefined;
  return { parts: [first!, ...rest], count, condition: null, bytes, arrivedAt: 0, resolve: ignore, reject: ignore };
};
const queueOf = (...appends: Append[]): AppendQueue => {
  const queue = new AppendQueue({ appends: 100, bytes: 100 * MIB });
  for (const each of appends) expect(queue.add(each)).toBe(true);
  return queue;
};
const takeNames = (queue: AppendQueue): string[] => queue.takeBatch().map(({ parts: [{ stream }] }) => stream);

describe('a batch of appends', () => {
  it('keeps the order: a small append does not pass a large one that no longer fits', () => {
    const queue = queueOf(append('a', 5 * MIB), append('b', 5 * MIB), append('c', 10));
    expect([takeNames(queue), takeNames(queue), queue.isEmpty]).toEqual([['a'], ['b', 'c'], true]);
  });

  it('keeps the order when it has as many events as it may', () => {
    const queue = queueOf(append('a', 10, ['a'], 600), append('b', 10, ['b'], 600), append('c', 10));
    expect([takeNames(queue), takeNames(queue)]).toEqual([['a'], ['b', 'c']]);
  });

  it('takes an append that is larger than a batch alone', () => {
    const queue = queueOf(append('a', 20 * MIB), append('b', 10));
    expect([takeNames(queue), takeNames(queue)]).toEqual([['a'], ['b']]);
  });

  it('contains each stream once: a second append to it waits, and others pass', () => {
    const queue = queueOf(append('a', 10), append('a', 10), append('b', 10));
    expect([takeNames(queue), takeNames(queue)]).toEqual([['a', 'b'], ['a']]);
  });
});
