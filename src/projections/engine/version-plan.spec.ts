import { needsCandidate, ownVersions, type Versions, versionToRead } from './version-plan.js';

/** Versions 1, 2 and 3 as previous, live and candidate, with these codes; null if there is none. */
const versions = (previous: number | null, live: number, candidate: number | null): Versions => ({
  previous: previous === null ? null : { version: 1, code: previous },
  live: { version: 2, code: live },
  candidate: candidate === null ? null : { version: 3, code: candidate, job: null },
});

describe('a program with code 5', () => {
  it.each([
    ['builds a candidate beside older code', versions(null, 4, null), true],
    ['builds a candidate in the place of an older unfinished one', versions(2, 3, 4), true],
    ['builds none if its own is being built', versions(3, 4, 5), false],
    ['builds none if it is live', versions(4, 5, null), false],
    ['never replaces newer code', versions(null, 6, null), false],
    ['never replaces a candidate of newer code', versions(null, 4, 6), false],
    ['builds none if its version was live before newer code', versions(5, 6, null), false],
    ['builds none after a rollback to older code', versions(5, 4, null), false],
  ])('%s', (_, state, expected) => expect(needsCandidate(state, 5)).toBe(expected));

  it.each([
    ['its own live version, not the candidate of newer code', versions(4, 5, 6), [2]],
    ['its own previous version after newer code has become live', versions(5, 6, null), [1]],
    ['each version of a rebuild with the same code', versions(5, 5, 5), [2, 3, 1]],
    ['no version of other code', versions(3, 4, 6), []],
  ])('fills %s', (_, state, expected) => expect(ownVersions(state, 5)).toEqual(expected));

  it.each([
    ['the live version if it is its own', versions(5, 5, 5), 2],
    ['its own previous version beside newer live code', versions(5, 6, null), 1],
    ['the live version of older code while its own is built', versions(3, 4, 5), 2],
    ['the live version of newer code if none is its own', versions(6, 7, null), 2],
  ])('reads %s', (_, state, expected) => expect(versionToRead(state, 5).version).toBe(expected));
});
