import { serializeList } from './answers.js';

class Listed {
  readonly next = null;
  readonly [Symbol.iterator] = undefined;
  constructor(
    readonly items: readonly unknown[],
    readonly total?: number,
  ) {}
}

it.each([
  [{ items: [], next: null }],
  [new Listed([1, 'two', { three: [undefined, null] }, undefined, () => 1])],
  [new Listed([{ toJSON: () => 'seven' }], 7)],
  [{ items: Array.from({ length: 40 }, (_, n) => ({ n, blob: 'ж"\u0001'.repeat(20_000) })), next: 'x' }],
])('serialises a list like JSON.stringify', async (list) => {
  expect(await serializeList(list)).toBe(JSON.stringify(list));
});
