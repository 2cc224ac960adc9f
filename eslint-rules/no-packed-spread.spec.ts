import { Linter } from 'eslint';
import plugin from './no-packed-spread.js';

const config = [{ plugins: { local: plugin }, rules: { 'local/no-packed-spread': 'error' } }] as const;

it.each([
  ['x({ ...{ a, b: 1 }, c });', 'x({ a, b: 1, c });'],
  ['x({ ...known, ...{ a, b, }, });', 'x({ ...known, a, b, });'],
  ['x({ ...{ ...options, ...{ after } } });', 'x({ ...options, after });'],
])('unpacks %s', (packed, unpacked) => {
  expect(new Linter().verifyAndFix(packed, [...config]).output).toBe(unpacked);
});

it.each(['x({ ...known });', 'x({ ...(known ? { a } : {}) });', 'x({ ...(known && { a }) });', 'x(...[{ a }]);'])(
  'allows %s',
  (code) => {
    expect(new Linter().verify(code, [...config])).toEqual([]);
  },
);
