import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { inSlices } from './cooperative-work.js';

const items = Array.from({ length: 25 }, (_, n) => n);

it('works on a slice at a time, and returns the results in order', async () => {
  let [running, most] = [0, 0];
  const results = await inSlices(items, 10, async (n) => {
    most = Math.max(most, ++running);
    await turn();
    running--;
    return n * 2;
  });
  expect(results).toEqual(items.map((n) => n * 2));
  expect(most).toBe(10);
});

it('begins no further slice after a failure', async () => {
  const begun: number[] = [];
  const working = inSlices(items, 10, async (n) => {
    begun.push(n);
    if (n === 4) throw new Error('failed');
  });
  await expect(working).rejects.toThrow('failed');
  expect(begun).toEqual(items.slice(0, 10));
});

it('rests between slices for a multiple of their time', async () => {
  const begun: number[] = [];
  await inSlices([0, 1, 2], 1, () => (begun.push(performance.now()), sleep(10)), 4);
  const [first, second] = [begun[1]! - begun[0]!, begun[2]! - begun[1]!];
  expect(Math.min(first, second)).toBeGreaterThan(45);
});
