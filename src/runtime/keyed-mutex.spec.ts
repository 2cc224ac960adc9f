import { KeyedMutex } from './keyed-mutex.js';

const settle = () => new Promise(setImmediate);

describe('KeyedMutex', () => {
  it('lets callers with the same key run one at a time, in the order in which they asked', async () => {
    const mutex = new KeyedMutex();
    const started: string[] = [];
    const releases: (() => void)[] = [];
    for (const caller of ['a1', 'a2', 'b1', 'a3']) {
      void mutex.acquire(caller[0]!).then((release) => {
        started.push(caller);
        releases.push(release);
      });
    }
    await settle();
    expect(started).toEqual(['a1', 'b1']);
    releases[0]!();
    await settle();
    expect(started).toEqual(['a1', 'b1', 'a2']);
    releases[2]!();
    await settle();
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});
