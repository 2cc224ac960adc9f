import { KeyedSemaphore } from './semaphore.js';

const settle = () => new Promise(setImmediate);

describe('KeyedSemaphore', () => {
  it('bounds each key on its own: the tasks of one key that wait delay no other key', async () => {
    const semaphore = new KeyedSemaphore(2);
    const started: string[] = [];
    const releases: (() => void)[] = [];
    for (const task of ['a1', 'a2', 'a3', 'a4', 'b1'])
      void semaphore.acquire(task[0]!).then((release) => {
        started.push(task);
        releases.push(release);
      });
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    releases[0]!();
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('forgets a key of which no task runs or waits, also after an aborted wait', async () => {
    const semaphore = new KeyedSemaphore(1);
    const release = await semaphore.acquire('a');
    const stop = new AbortController();
    const waiting = semaphore.acquire('a', stop.signal);
    stop.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(semaphore.size).toBe(1);
    release();
    expect(semaphore.size).toBe(0);
  });
});
