import type { Random } from '../e2e/random.js';

const LONG = Boolean(process.env['TEST_LONG']);

/**
 * Returns a random part of a test matrix, in its order; all of it with TEST_LONG. Put the seed into the title of a test
 * or `describe`: SEED repeats the choice.
 * @param share share of the items, from 0 to 1; at least one item is returned
 */
export const sampleOf = <T>(items: readonly T[], share: number, random: Random): T[] => {
  if (LONG) return [...items];
  const chosen = new Set(
    items
      .map((_, index) => ({ index, rank: random.next() }))
      .sort((a, b) => a.rank - b.rank)
      .slice(0, Math.max(1, Math.round(items.length * share)))
      .map(({ index }) => index),
  );
  return items.filter((_, index) => chosen.has(index));
};
