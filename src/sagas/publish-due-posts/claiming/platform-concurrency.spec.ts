import { PlatformConcurrency } from './platform-concurrency.js';

describe('the concurrency limit of each network', () => {
  it('applies to each network on its own', () => {
    const concurrency = new PlatformConcurrency(['a', 'b'], 2);
    concurrency.acquire('a');
    expect(concurrency.free()).toEqual([
      { platform: 'a', size: 1 },
      { platform: 'b', size: 2 },
    ]);
    concurrency.acquire('a');
    expect(concurrency.free()).toEqual([
      { platform: 'a', size: 0 },
      { platform: 'b', size: 2 },
    ]);
  });

  it('releases a place during a wait and reports it', async () => {
    const concurrency = new PlatformConcurrency(['a'], 1);
    let freed = 0;
    concurrency.onFree = () => (freed += 1);
    concurrency.acquire('a');
    let endWait: () => void = () => undefined;
    const waiting = concurrency.releaseWhile('a', new Promise<void>((resolve) => (endWait = resolve)));
    expect([freed, concurrency.free()]).toEqual([1, [{ platform: 'a', size: 1 }]]);
    endWait();
    await waiting;
    expect(concurrency.free()).toEqual([{ platform: 'a', size: 0 }]);
    concurrency.release('a');
    expect([freed, concurrency.free()]).toEqual([2, [{ platform: 'a', size: 1 }]]);
  });
});
