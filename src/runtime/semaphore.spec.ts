import { Semaphore } from './semaphore.js';

const settle = () => new Promise(setImmediate);

describe('Semaphore', () => {
  it('lets as many tasks run as it has permits, and the others in the order in which they asked', async () => {
    const semaphore = new Semaphore(2);
    const started: number[] = [];
    const releases: (() => void)[] = [];
    for (const task of [1, 2, 3, 4]) {
      void semaphore.acquire().then((release) => {
        started.push(task);
        releases.push(release);
      });
    }
    await settle();
    expect(started).toEqual([1, 2]);
    releases[1]!();
    await settle();
    expect(started).toEqual([1, 2, 3]);
    releases[0]!();
    releases[2]!();
    await settle();
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('keeps released permits for later tasks', async () => {
    const semaphore = new Semaphore(1);
    (await semaphore.acquire())();
    (await semaphore.acquire())();
  });
});
