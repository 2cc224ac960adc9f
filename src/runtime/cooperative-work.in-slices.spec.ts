import { setImmediate as turn } from 'node:timers/promises';
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
