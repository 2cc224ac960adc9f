import { Random } from '../test/e2e/random.js';
import { mannWhitney } from './mann-whitney.js';

/** Returns U by its definition: the number of pairs in which the value of `a` is larger, with ties counted as half. */
const wins = (a: readonly number[], b: readonly number[]): number =>
  a.flatMap((x) => b.map((y) => (x > y ? 1 : x === y ? 0.5 : 0))).reduce<number>((sum, won) => sum + won, 0);

/** Returns every way to split the values into `size` chosen ones and the rest. */
const splits = (values: readonly number[], size: number): [number[], number[]][] => {
  const [first, ...rest] = values;
  if (first === undefined) return size === 0 ? [[[], []]] : [];
  const taken = size > 0 ? splits(rest, size - 1) : [];
  return [
    ...taken.map(([a, b]): [number[], number[]] => [[first, ...a], b]),
    ...splits(rest, size).map(([a, b]): [number[], number[]] => [a, [first, ...b]]),
  ];
};

describe('Mann-Whitney U', () => {
  it('returns the published results for ages at diagnosis (SciPy’s example, asymptotic method)', () => {
    const { u, p } = mannWhitney([19, 22, 16, 29, 24], [20, 11, 17, 12]);
    expect(u).toBe(17);
    expect(p).toBeCloseTo(0.11134688653314041, 6);
  });

  it.each([
    ['without ties', [3, 1, 4, 15, 9, 2, 6, 5, 35]],
    ['with ties', [1, 1, 2, 2, 2, 3, 5, 5, 8]],
    ['with almost only ties', [1, 1, 1, 1, 1, 1, 1, 1, 2]],
  ])('has the mean and the variance of all splits, %s', (_, values) => {
    const all = splits(values, 4).map(([a, b]) => ({ a, b, u: wins(a, b) }));
    const mean = all.reduce((sum, { u }) => sum + u, 0) / all.length;
    const variance = all.reduce((sum, { u }) => sum + (u - mean) ** 2, 0) / all.length;
    for (const { a, b, u } of all) {
      const found = mannWhitney(a, b);
      expect(found.u).toBe(u);
      const beyond = Math.max(0, Math.abs(u - mean) - 0.5);
      expect(found.z).toBeCloseTo((Math.sign(u - mean) * beyond) / Math.sqrt(variance), 10);
    }
  });

  it('matches the usual quantiles of the normal distribution', () => {
    // Samples with an exact z cannot be constructed directly, so this searches for the closest ones.
    const steps = Array.from({ length: 400 }, (_, i) => i);
    const pairs = steps.map((shift) =>
      mannWhitney(
        steps,
        steps.map((value) => value + shift / 10 + 0.05),
      ),
    );
    const at = (z: number) =>
      pairs.reduce((best, pair) => (Math.abs(-pair.z - z) < Math.abs(-best.z - z) ? pair : best));
    for (const [z, p] of [
      [1.645, 0.1],
      [1.96, 0.05],
      [2.576, 0.01],
    ] as const)
      expect(Math.abs(at(z).p - p)).toBeLessThan(p * 0.1);
  });

  it('reports a false difference as often as its p-value says, and detects a real one', () => {
    const random = new Random(42);
    const draw = (shift: number) => Array.from({ length: 200 }, () => random.next() ** 3 + shift);
    const falsePositives = Array.from({ length: 500 }, () => mannWhitney(draw(0), draw(0)).p).filter((p) => p <= 0.05);
    expect(falsePositives.length).toBeGreaterThan(10);
    expect(falsePositives.length).toBeLessThan(45);
    expect(mannWhitney(draw(0), draw(0.1)).p).toBeLessThan(0.001);
  });

  it('finds no difference between equal samples', () => {
    expect(mannWhitney([5, 5, 5], [5, 5, 5])).toEqual({ u: 4.5, z: 0, p: 1 });
  });
});
