import fc from 'fast-check';
import { covers, either, type TypeFilter, wants } from './type-filter.js';

const NAMES = ['A', 'B', 'C', 'D'];
const some = fc.subarray(NAMES);
const filters: fc.Arbitrary<TypeFilter> = fc.oneof(
  fc.constant({}),
  some.map((types) => ({ types })),
  some.map((except) => ({ except })),
);
/** `Other` stands for every type that nobody has named. */
const wantedBy = (filter: TypeFilter): string[] => [...NAMES, 'Other'].filter(wants(filter));

describe('a filter of types', () => {
  it('wants what is named, or all but that; by itself everything', () => {
    expect(wantedBy({})).toEqual(['A', 'B', 'C', 'D', 'Other']);
    expect(wantedBy({ types: ['A', 'C'] })).toEqual(['A', 'C']);
    expect(wantedBy({ except: ['A', 'C'] })).toEqual(['B', 'D', 'Other']);
    expect(wantedBy({ types: [] })).toEqual([]);
  });

  it('of two wants what one of them wants', () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        const expected = [...NAMES, 'Other'].filter((type) => wants(one)(type) || wants(other)(type));
        expect(wantedBy(either(one, other))).toEqual(expected);
      }),
    );
  });

  it('covers another where it wants all of it', () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        expect(covers(one, other)).toBe(wantedBy(other).every(wants(one)));
      }),
    );
  });
});
