import { deriveTimedId } from '../../kernel/ids.js';
import { hash64, hashThing, toInt8 } from './audit.tables.js';

const AT = 1_764_230_400_000;

it('gives later things higher hashes, so that they are stored at the end of an index', () => {
  const ids = Array.from({ length: 100 }, (_, n) => deriveTimedId('post', `post ${n}`, AT + n));
  for (const hash of [hash64, (id: string) => hashThing('post', id)]) {
    const hashes = ids.map((id) => toInt8(hash(id)));
    expect(hashes).toEqual(hashes.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(hashes).size).toBe(hashes.length);
  }
});

it('tells things of the same millisecond apart, and kinds of things with the same id', () => {
  const ids = Array.from({ length: 100 }, (_, n) => deriveTimedId('post', `post ${n}`, AT));
  const hashes = ids.flatMap((id) => [hashThing('post', id), hashThing('publication', id)]);
  expect(new Set(hashes).size).toBe(200);
});

it('spreads the hashes of names without a time', () => {
  const hashes = Array.from({ length: 100 }, (_, n) => hash64(`system:saga ${n}`));
  expect(new Set(hashes.map((digits) => digits.slice(0, 2))).size).toBeGreaterThan(50);
});
