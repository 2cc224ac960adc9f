import type { MessageNumbers } from '../platforms/publisher.js';
import { combineMessages, haveChanged, nextSampleAt, NO_NUMBERS, sumNumbers } from './numbers.js';

const MINUTE = 60_000;
const counted = (views: number | null, reactions: number | null = null): MessageNumbers => ({
  kind: 'counted',
  numbers: { ...NO_NUMBERS, views, reactions },
});
const GONE: MessageNumbers = { kind: 'gone' };
const REFUSED: MessageNumbers = { kind: 'unavailable', text: 'No.' };

describe('the times of samples', () => {
  it.each([
    [0, 5],
    [5, 15],
    [14.9, 15],
    [60, 120],
    [1_440, 2_880],
    [20_160, 43_200],
  ])('after %d minutes: next at %d', (passed, next) => {
    expect(nextSampleAt(1_000, 1_000 + passed * MINUTE, MINUTE)).toBe(1_000 + next * MINUTE);
  });

  it('end after 30 days', () => expect(nextSampleAt(0, 43_200 * MINUTE, MINUTE)).toBeNull());
});

describe('the numbers of several messages', () => {
  const of = (...all: readonly MessageNumbers[]) => {
    const ids = all.map((_, index) => String(index));
    return combineMessages(ids, new Map(all.map((each, index) => [String(index), each])));
  };

  it('are the most views, because the same readers see all of them, and the sum of what they do', () => {
    expect(of(counted(100, 3), counted(90, 4))).toEqual(counted(100, 7));
  });

  it('are those that are known', () => {
    expect(of(counted(100), counted(null, 4), GONE)).toEqual(counted(100, 4));
    expect(of(counted(null), counted(null))).toEqual(counted(null));
  });

  it('are gone if all messages are, and unavailable if one is refused and none is counted', () => {
    expect([of(GONE, GONE), of(GONE, REFUSED), of(REFUSED, counted(1))]).toEqual([GONE, REFUSED, counted(1)]);
  });

  it('are not known while one was not asked for', () => {
    expect(combineMessages(['0', '1'], new Map([['0', counted(1)]]))).toBeNull();
  });
});

it('a sum is null if all its parts are', () => {
  expect(sumNumbers([])).toEqual(NO_NUMBERS);
  expect(sumNumbers([NO_NUMBERS, { ...NO_NUMBERS, views: 2 }, { ...NO_NUMBERS, views: 3, shares: 0 }])).toEqual({
    ...NO_NUMBERS,
    views: 5,
    shares: 0,
  });
});

it('numbers have changed if any differs', () => {
  expect(haveChanged(NO_NUMBERS, { ...NO_NUMBERS, shares: 0 })).toBe(true);
  expect(haveChanged(NO_NUMBERS, NO_NUMBERS)).toBe(false);
});
