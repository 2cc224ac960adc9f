import { GroupConcurrency } from './group-concurrency.js';

describe('the concurrency limit of each network', () => {
  it('applies to each network on its own', () => {
    const concurrency = new GroupConcurrency(['a', 'b'], 2);
    concurrency.acquire('a');
    expect(concurrency.free()).toEqual([
      { group: 'a', size: 1 },
      { group: 'b', size: 2 },
    ]);
    concurrency.acquire('a');
    expect(concurrency.free()).toEqual([
      { group: 'a', size: 0 },
      { group: 'b', size: 2 },
    ]);
  });

  it('releases a place during a wait and reports it', async () => {
    const concurrency = new GroupConcurrency(['a'], 1);
    let freed = 0;
    concurrency.onFree = () => (freed += 1);
    concurrency.acquire('a');
    let endWait: () => void = () => undefined;
    const waiting = concurrency.releaseWhile('a', new Promise<void>((resolve) => (endWait = resolve)));
    expect([freed, concurrency.free()]).toEqual([1, [{ group: 'a', size: 1 }]]);
    endWait();
    await waiting;
    expect(concurrency.free()).toEqual([{ group: 'a', size: 0 }]);
    concurrency.release('a');
    expect([freed, concurrency.free()]).toEqual([2, [{ group: 'a', size: 1 }]]);
  });
});
