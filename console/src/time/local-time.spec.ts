import {
  addDays,
  findInstants,
  firstInstant,
  lengthOfDay,
  offsetName,
  startOfDay,
  toLocal,
  weekdayOf,
} from './local-time.js';

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);

describe('local times', () => {
  it('are read from instants in any zone', () => {
    expect(toLocal(at('2026-11-27T22:30:00Z'), 'Europe/Berlin')).toEqual({ day: '2026-11-27', time: '23:30' });
    expect(toLocal(at('2026-11-27T22:30:00Z'), 'Asia/Kolkata')).toEqual({ day: '2026-11-28', time: '04:00' });
    expect(toLocal(at('2026-11-28T05:00:00Z'), 'America/New_York')).toEqual({ day: '2026-11-28', time: '00:00' });
  });

  it('have one instant on most days', () => {
    expect(findInstants({ day: '2026-11-27', time: '09:00' }, 'Europe/Berlin')).toEqual({
      kind: 'once',
      at: at('2026-11-27T08:00:00Z'),
    });
    expect(findInstants({ day: '2026-07-01', time: '09:00' }, 'Europe/Berlin')).toEqual({
      kind: 'once',
      at: at('2026-07-01T07:00:00Z'),
    });
  });

  it.each([
    // the time that is skipped, and the first instant after it
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:00:00Z'],
    ['America/New_York', '2026-03-08', '02:30', '2026-03-08T07:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00Z'],
  ])('do not exist where the clock of %s is put forward', (zone, day, time, next) => {
    expect(findInstants({ day, time }, zone)).toEqual({ kind: 'never', next: at(next) });
    expect(firstInstant({ day, time }, zone)).toBe(at(next));
  });

  it.each([
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
  ])('exist twice where the clock of %s is put back', (zone, day, time, first, second) => {
    expect(findInstants({ day, time }, zone)).toEqual({ kind: 'twice', first: at(first), second: at(second) });
  });

  it('lead back to the instants that they were read from, over both changes of a year', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Moscow'])
      for (const start of ['2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31'])
        for (let half = 0; half < 3 * 48; half++) {
          const instant = at(`${start}T00:00:00Z`) + half * (HOUR / 2);
          const found = findInstants(toLocal(instant, zone), zone);
          const instants =
            found.kind === 'once' ? [found.at] : found.kind === 'twice' ? [found.first, found.second] : [];
          expect(instants).toContain(instant);
        }
  });

  it('make days of 23, 24 and 25 hours', () => {
    const hours = (day: string, zone = 'Europe/Berlin'): number => lengthOfDay(day, zone) / HOUR;
    expect(hours('2026-03-29')).toBe(23);
    expect(hours('2026-10-25')).toBe(25);
    expect(hours('2026-11-27')).toBe(24);
    expect(hours('2026-10-04', 'Australia/Lord_Howe')).toBe(23.5);
    expect(hours('2026-10-25', 'Europe/Moscow')).toBe(24);
  });

  it('begin days at the first instant where midnight is skipped', () => {
    // Cairo puts the clock forward at midnight.
    expect(startOfDay('2026-04-24', 'Africa/Cairo')).toBe(at('2026-04-23T22:00:00Z'));
    expect(toLocal(startOfDay('2026-04-24', 'Africa/Cairo'), 'Africa/Cairo').time).toBe('01:00');
  });
});

describe('days', () => {
  it('are counted over the ends of months and years', () => {
    expect(addDays('2026-12-30', 3)).toBe('2027-01-02');
    expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
  });

  it('have a weekday from Monday', () => {
    expect(weekdayOf('2026-11-23')).toBe(0);
    expect(weekdayOf('2026-11-29')).toBe(6);
  });
});

it('offsets are named in hours and minutes', () => {
  expect(offsetName(at('2026-07-01T00:00:00Z'), 'Europe/Berlin')).toBe('UTC+2');
  expect(offsetName(at('2026-07-01T00:00:00Z'), 'America/St_Johns')).toBe('UTC−2:30');
  expect(offsetName(at('2026-01-01T00:00:00Z'), 'Europe/London')).toBe('UTC+0');
});
