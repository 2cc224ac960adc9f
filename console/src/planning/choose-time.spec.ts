import { chooseInstant, chooseTimeOn, chosenInstant, offerTimes, readTime, suggestTime } from './choose-time.js';

const BERLIN = 'Europe/Berlin';
const at = (iso: string): number => Date.parse(iso);
const NOW = at('2026-03-27T12:34:00Z'); // a Friday, 13:34 in Berlin
const chosen = (day: string, time: string, isSecond = false) => ({ day, time, isSecond });

describe('a chosen time', () => {
  it('is an instant', () => {
    expect(readTime(chosen('2026-03-28', '09:00'), BERLIN, NOW)).toEqual({
      problem: null,
      at: at('2026-03-28T08:00:00Z'),
      isTwice: false,
    });
  });

  it('must be filled in, lie ahead, and be within a year and a day', () => {
    expect(readTime(chosen('', '09:00'), BERLIN, NOW).problem).toBe('missing');
    expect(readTime(chosen('2026-03-28', ''), BERLIN, NOW).problem).toBe('missing');
    expect(readTime(chosen('2026-02-31', '09:00'), BERLIN, NOW).problem).toBe('missing');
    expect(readTime(chosen('2026-03-27', '13:34'), BERLIN, NOW).problem).toBe('past');
    expect(readTime(chosen('2026-03-27', '13:35'), BERLIN, NOW).problem).toBeNull();
    expect(readTime(chosen('2027-03-28', '14:00'), BERLIN, NOW).problem).toBeNull();
    expect(readTime(chosen('2027-03-29', '14:00'), BERLIN, NOW).problem).toBe('tooFar');
  });

  it('that the clock skips leads to the next one', () => {
    const read = readTime(chosen('2026-03-29', '02:30'), BERLIN, NOW);
    expect(read).toEqual({ problem: 'skipped', isTwice: false, next: at('2026-03-29T01:00:00Z') });
    expect(chooseInstant(at('2026-03-29T01:00:00Z'), BERLIN)).toEqual(chosen('2026-03-29', '03:00'));
  });

  it('that comes twice is the first, unless the second is asked for', () => {
    const first = readTime(chosen('2026-10-25', '02:30'), BERLIN, NOW);
    const second = readTime(chosen('2026-10-25', '02:30', true), BERLIN, NOW);
    expect(first).toEqual({ problem: null, isTwice: true, at: at('2026-10-25T00:30:00Z') });
    expect(second).toEqual({ problem: null, isTwice: true, at: at('2026-10-25T01:30:00Z') });
  });

  it('is shown as it was chosen', () => {
    for (const iso of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z', '2026-07-01T10:00:00Z'])
      expect(chosenInstant(chooseInstant(at(iso), BERLIN), BERLIN)).toBe(at(iso));
  });

  it('is an instant after it has passed, too', () => {
    expect(chosenInstant(chosen('2020-01-01', '09:00'), BERLIN)).toBe(at('2020-01-01T08:00:00Z'));
    expect(chosenInstant(chosen('2026-03-29', '02:30'), BERLIN)).toBeNull();
    expect(chosenInstant(chosen('', ''), BERLIN)).toBeNull();
  });
});

it('a time of a day is taken, unless it has passed', () => {
  expect(chooseTimeOn('2026-03-28', '09:00', BERLIN, NOW)).toEqual(chosen('2026-03-28', '09:00'));
  expect(chooseTimeOn('2026-03-27', '18:00', BERLIN, NOW)).toEqual(chosen('2026-03-27', '18:00'));
  expect(chooseTimeOn('2026-03-27', '09:00', BERLIN, NOW)).toEqual(chosen('2026-03-27', '15:00'));
});

describe('offered times', () => {
  it('lie ahead', () => {
    expect(offerTimes(NOW, BERLIN)).toEqual([
      { name: 'today', day: '2026-03-27', time: '18:00' },
      { name: 'tomorrow', day: '2026-03-28', time: '09:00' },
      { name: 'monday', day: '2026-03-30', time: '09:00' },
    ]);
  });

  it('leave out an evening that is near, and a Monday that is tomorrow', () => {
    expect(offerTimes(at('2026-03-29T17:00:00Z'), BERLIN)).toEqual([
      { name: 'tomorrow', day: '2026-03-30', time: '09:00' },
    ]);
  });

  it('begin with a full hour, at least one hour ahead', () => {
    expect(suggestTime(NOW, BERLIN)).toEqual(chosen('2026-03-27', '15:00'));
    expect(suggestTime(at('2026-03-27T22:30:00Z'), BERLIN)).toEqual(chosen('2026-03-28', '01:00'));
  });
});
