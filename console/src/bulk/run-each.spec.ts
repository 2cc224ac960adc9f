import { GatewayError } from '../api/management.js';
import { type Result, runEach } from './run-each.js';

const problem = (status: number, retryAfter: number | null = null): GatewayError =>
  new GatewayError({ status, code: 'problem', errors: ['No.'], route: 'POST /channels/{id}/pause', retryAfter });

const never = () => false;

describe('work on each of several things', () => {
  it('goes on after a failure, and tells what became of each', async () => {
    const results = new Map<number, Result>();
    const fault = new Error('no');
    const work = (n: number) => (n === 3 ? Promise.reject(fault) : Promise.resolve());
    await runEach([1, 2, 3, 4, 5, 6], work, (n, result) => results.set(n, result), never);
    expect(results.size).toBe(6);
    expect(results.get(3)).toEqual({ isDone: false, error: fault });
    expect([...results.values()].filter(({ isDone }) => isDone)).toHaveLength(5);
  });

  it('has at most four calls under way', async () => {
    let now = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
    };
    await runEach(
      Array.from({ length: 50 }, (_, n) => n),
      work,
      () => undefined,
      never,
    );
    expect(most).toBe(4);
  });

  it('waits as long as a 429 asks for, and repeats the call', async () => {
    const waits: number[] = [];
    const results: Result[] = [];
    let calls = 0;
    const work = () => (++calls < 3 ? Promise.reject(problem(429, calls)) : Promise.resolve());
    const wait = (ms: number) => Promise.resolve(void waits.push(ms));
    await runEach([1], work, (_, result) => results.push(result), never, wait);
    expect(waits).toEqual([1_000, 2_000]);
    expect(results).toEqual([{ isDone: true }]);
  });

  it('repeats no other failure', async () => {
    let calls = 0;
    await runEach(
      [1],
      () => Promise.reject(problem(++calls && 503)),
      () => undefined,
      never,
    );
    expect(calls).toBe(1);
  });

  it('begins nothing more once it is stopped', async () => {
    let isStopped = false;
    const done: number[] = [];
    const work = (n: number) => Promise.resolve().then(() => (isStopped ||= n === 2));
    await runEach(
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      work,
      (n) => done.push(n),
      () => isStopped,
    );
    // Four were under way.
    expect(done).toEqual([1, 2, 3, 4]);
  });
});
