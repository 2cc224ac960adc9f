import { GroupConcurrency } from './group-concurrency.js';

const A = { group: 'a', owner: 'own_1' };
const turn = (): Promise<void> => new Promise(setImmediate);

describe('the concurrency limit of each network', () => {
  it('applies to each network on its own', () => {
    const concurrency = new GroupConcurrency(['a', 'b'], 2);
    concurrency.acquire(A);
    expect(concurrency.free()).toMatchObject([
      { group: 'a', size: 1 },
      { group: 'b', size: 2 },
    ]);
    concurrency.acquire({ ...A, owner: 'own_2' });
    expect(concurrency.free()).toMatchObject([
      { group: 'a', size: 0 },
      { group: 'b', size: 2 },
    ]);
  });

  it('releases a place during a wait and reports it', async () => {
    const concurrency = new GroupConcurrency(['a'], 1);
    let freed = 0;
    concurrency.onFree = () => (freed += 1);
    concurrency.acquire(A);
    let endWait: () => void = () => undefined;
    const waiting = concurrency.releaseWhile(A, new Promise<void>((resolve) => (endWait = resolve)));
    expect([freed, concurrency.free()]).toMatchObject([1, [{ group: 'a', size: 1 }]]);
    endWait();
    await waiting;
    expect(concurrency.free()).toMatchObject([{ group: 'a', size: 0 }]);
    concurrency.release(A);
    expect([freed, concurrency.free()]).toMatchObject([2, [{ group: 'a', size: 1, full: [] }]]);
  });

  it('names an owner as full once it uses its share, or has as many keys that wait as there are slots', async () => {
    const concurrency = new GroupConcurrency(['a'], 4);
    concurrency.acquire(A);
    expect(concurrency.isFull(A)).toBe(false);
    concurrency.acquire(A);
    expect(concurrency.free()).toMatchObject([{ size: 2, held: new Map([['own_1', 2]]), full: ['own_1'] }]);
    expect(concurrency.isFull({ ...A, owner: 'own_2' })).toBe(false);
    const forever = new Promise<void>(() => undefined);
    for (let i = 0; i < 4; i++) {
      if (i > 1) concurrency.acquire(A);
      void concurrency.releaseWhile(A, forever);
    }
    expect([concurrency.free()[0]!.size, concurrency.listFull()]).toEqual([4, [A]]);
  });

  it('takes keys without an owner up to its size', () => {
    const concurrency = new GroupConcurrency(['a'], 2);
    const place = { group: 'a', owner: '' };
    concurrency.acquire(place);
    expect(concurrency.free()).toMatchObject([{ size: 1, full: [] }]);
  });

  it('gives a slot after a wait only within the owner’s share, unless the worker stops', async () => {
    const concurrency = new GroupConcurrency(['a'], 2);
    const drain = new AbortController();
    const ends: (() => void)[] = [];
    let back = 0;
    for (let i = 0; i < 3; i++) {
      concurrency.acquire(A);
      const wait = new Promise<void>((resolve) => ends.push(resolve));
      void concurrency.releaseWhile(A, wait, drain.signal).then(() => back++);
    }
    for (const end of ends) end();
    await turn();
    expect([back, concurrency.isFull(A), concurrency.isFull({ ...A, owner: 'own_2' })]).toEqual([1, true, false]);
    concurrency.release(A);
    await turn();
    expect(back).toBe(2);
    drain.abort();
    await turn();
    expect(back).toBe(3);
  });

  it('keeps the slot of a wait that is over at once', async () => {
    const concurrency = new GroupConcurrency(['a'], 1);
    let freed = 0;
    concurrency.onFree = () => (freed += 1);
    concurrency.acquire(A);
    expect(await concurrency.releaseUnlessSoon(A, Promise.resolve(7))).toBe(7);
    await expect(concurrency.releaseUnlessSoon(A, Promise.reject(new Error('no file')))).rejects.toThrow('no file');
    expect(freed).toBe(0);
    expect(
      await concurrency.releaseUnlessSoon(
        A,
        turn()
          .then(turn)
          .then(() => 8),
      ),
    ).toBe(8);
    expect(freed).toBe(1);
  });
});
