import fc from 'fast-check';
import { coversFilter, createTypeMatcher, mergeFilters, type TypeFilter } from './port.js';

const NAMES = ['A', 'B', 'C', 'D'];
const some = fc.subarray(NAMES);
const filters: fc.Arbitrary<TypeFilter> = fc.oneof(
  fc.constant({}),
  some.map((types) => ({ types })),
  some.map((except) => ({ except })),
);
/** Returns the names that a filter selects. `Other` represents every type that no filter names. */
const selectedBy = (filter: TypeFilter): string[] => [...NAMES, 'Other'].filter(createTypeMatcher(filter));

describe('a type filter', () => {
  it('selects the named types, or all but those; without names it selects all', () => {
    expect(selectedBy({})).toEqual(['A', 'B', 'C', 'D', 'Other']);
    expect(selectedBy({ types: ['A', 'C'] })).toEqual(['A', 'C']);
    expect(selectedBy({ except: ['A', 'C'] })).toEqual(['B', 'D', 'Other']);
    expect(selectedBy({ types: [] })).toEqual([]);
  });

  it('selects what at least one filter selects when two are merged', () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        const expected = [...NAMES, 'Other'].filter(
          (type) => createTypeMatcher(one)(type) || createTypeMatcher(other)(type),
        );
        expect(selectedBy(mergeFilters(one, other))).toEqual(expected);
      }),
    );
  });

  it('covers another filter if it selects all of its types', () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        expect(coversFilter(one, other)).toBe(selectedBy(other).every(createTypeMatcher(one)));
      }),
    );
  });
});
