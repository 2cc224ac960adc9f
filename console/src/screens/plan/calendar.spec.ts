import {
  cellKey,
  changeOf,
  daysOf,
  foldHours,
  groupByDay,
  groupByHour,
  isInMonth,
  periodOf,
  step,
} from './calendar.js';

const at = (iso: string): number => Date.parse(iso);
const HOUR = 3_600_000;

describe('a week', () => {
  it('begins with the day that is asked for', () => {
    expect(daysOf('week', '2026-11-27')).toEqual([
      '2026-11-27',
      '2026-11-28',
      '2026-11-29',
      '2026-11-30',
      '2026-12-01',
      '2026-12-02',
      '2026-12-03',
    ]);
  });

  it('has an hour less or more where the clock is changed', () => {
    const length = (first: string, zone: string): number => {
      const { from, to } = periodOf('week', first, zone);
      return (to - from) / HOUR;
    };
    expect(length('2026-03-25', 'Europe/Berlin')).toBe(7 * 24 - 1);
    expect(length('2026-10-25', 'Europe/Berlin')).toBe(7 * 24 + 1);
    expect(length('2026-10-25', 'Europe/Moscow')).toBe(7 * 24);
  });

  it('is bounded by midnights of the zone', () => {
    expect(periodOf('week', '2026-11-27', 'America/New_York')).toMatchObject({
      from: at('2026-11-27T05:00:00Z'),
      to: at('2026-12-04T05:00:00Z'),
    });
  });
});

describe('a month', () => {
  it('is shown in whole weeks from Monday', () => {
    const days = daysOf('month', '2026-11-15');
    expect(days).toHaveLength(42);
    expect(days[0]).toBe('2026-10-26');
    expect(days.at(-1)).toBe('2026-12-06');
    expect(daysOf('month', '2027-02-01')).toHaveLength(28); // Monday the 1st to Sunday the 28th
  });

  it('knows its own days', () => {
    expect(isInMonth('2026-11-30', '2026-11-15')).toBe(true);
    expect(isInMonth('2026-12-01', '2026-11-15')).toBe(false);
  });
});

it('steps go by weeks and months, over the end of a year', () => {
  expect(step('week', '2026-12-30', 1)).toBe('2027-01-06');
  expect(step('week', '2027-01-06', -1)).toBe('2026-12-30');
  expect(step('month', '2026-12-31', 1)).toBe('2027-01-01');
  expect(step('month', '2027-01-31', -1)).toBe('2026-12-01');
});

it('posts stand in the hours of the clock, both passes of a repeated hour in the same', () => {
  const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z'].map(at);
  const groups = groupByHour(times, (time) => time, 'Europe/Berlin');
  expect(groups.get(cellKey('2026-10-25', 2))).toEqual(times.slice(0, 2));
  expect(groups.get(cellKey('2026-10-25', 3))).toEqual(times.slice(2));
  expect(groupByDay([at('2026-11-27T23:30:00Z')], (time) => time, 'Europe/Berlin').has('2026-11-28')).toBe(true);
});

it('hours that the clock skips or repeats are marked', () => {
  const changes = (day: string, zone: string) =>
    Array.from({ length: 24 }, (_, hour) => [hour, changeOf(day, hour, zone)] as const).filter(([, change]) => change);
  expect(changes('2026-03-29', 'Europe/Berlin')).toEqual([[2, 'skipped']]);
  expect(changes('2026-10-25', 'Europe/Berlin')).toEqual([[2, 'repeated']]);
  expect(changes('2026-11-01', 'America/New_York')).toEqual([[1, 'repeated']]);
  expect(changes('2026-11-27', 'Europe/Berlin')).toEqual([]);
});

describe('the night', () => {
  const fold = (...busy: readonly number[]) =>
    foldHours((hour) => !busy.includes(hour)).map(({ from, to, isFolded }) => [from, to, isFolded]);

  it('is folded where nothing is planned', () => {
    expect(fold()).toEqual([
      [0, 7, true],
      [7, 24, false],
    ]);
    expect(fold(0)).toEqual([
      [0, 1, false],
      [1, 7, true],
      [7, 24, false],
    ]);
    expect(fold(3)).toEqual([
      [0, 3, true],
      [3, 4, false],
      [4, 7, true],
      [7, 24, false],
    ]);
  });

  it('is shown where a few hours would be saved only', () => {
    expect(fold(2, 5)).toEqual([[0, 24, false]]);
    expect(fold(6)).toEqual([
      [0, 6, true],
      [6, 24, false],
    ]);
  });
});
