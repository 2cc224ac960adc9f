import fc from 'fast-check';
import { fitSize } from './photo-limits.js';

const limits = { maxBytes: 1, formats: [] };
const side = fc.integer({ min: 1, max: 65_535 });

describe('the size to which a photo is scaled', () => {
  it.each([
    ['a photo within the limits stays as it is', [4_000, 3_000], { maxSide: 7_680, maxSum: 10_000 }, [4_000, 3_000]],
    ['the longer side', [8_000, 1_000], { maxSide: 4_000 }, [4_000, 500]],
    ['both sides together', [15_000, 5_000], { maxSum: 10_000 }, [7_500, 2_500]],
    ['upright as well', [5_000, 15_000], { maxSum: 10_000 }, [2_500, 7_500]],
    ['a square whose side cannot be half of the sum', [5_001, 5_001], { maxSum: 9_999 }, [4_999, 4_999]],
    ['the narrowest that is allowed', [20_000, 1_000], { maxSum: 10_000, maxRatio: 20 }, [9_523, 477]],
    ['a line, which stays one', [10_000, 1], { maxSide: 100 }, [100, 1]],
  ] as const)('%s', (_, [width, height], more, [newWidth, newHeight]) => {
    expect(fitSize({ width, height }, { ...limits, ...more })).toEqual({ width: newWidth, height: newHeight });
  });

  it('is null if the shape is too narrow', () => {
    expect(fitSize({ width: 2_001, height: 100 }, { ...limits, maxRatio: 20 })).toBeNull();
    expect(fitSize({ width: 100, height: 2_000 }, { ...limits, maxRatio: 20 })).not.toBeNull();
  });

  it('keeps every limit, and the shape as far as whole pixels allow', () =>
    fc.assert(
      fc.property(side, side, fc.constantFrom(1, 0.75, 0.2), (width, height, scale) => {
        const fitted = fitSize({ width, height }, { ...limits, maxSide: 7_680, maxSum: 10_000, maxRatio: 20 }, scale);
        const [long, short] = [Math.max(width, height), Math.min(width, height)];
        if (long > short * 20) return expect(fitted).toBeNull();
        const [newLong, newShort] = [Math.max(fitted!.width, fitted!.height), Math.min(fitted!.width, fitted!.height)];
        expect(newShort).toBeGreaterThanOrEqual(1);
        expect(newLong).toBeLessThanOrEqual(Math.min(7_680, long));
        expect(newLong + newShort).toBeLessThanOrEqual(10_000);
        expect(newLong).toBeLessThanOrEqual(newShort * 20);
        expect(fitted!.width > fitted!.height).toBe(width > height && newLong > newShort);
        expect(Math.abs(newLong * short - newShort * long)).toBeLessThanOrEqual(2 * long);
      }),
      { seed: 20, numRuns: 1_000 },
    ));
});
