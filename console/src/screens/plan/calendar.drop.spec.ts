import { readDrop } from './calendar.js';

const BERLIN = 'Europe/Berlin';
const at = (iso: string): number => Date.parse(iso);
const NOW = at('2026-03-27T12:00:00Z'); // 13:00 in Berlin
const POST = at('2026-03-28T09:45:00Z'); // 10:45 in Berlin

describe('a dropped post', () => {
  it('keeps its minutes on an hour, and its time on a day', () => {
    expect(readDrop(POST, '2026-03-30', 14, BERLIN, NOW)).toEqual({ kind: 'move', at: at('2026-03-30T12:45:00Z') });
    expect(readDrop(POST, '2026-03-30', null, BERLIN, NOW)).toEqual({ kind: 'move', at: at('2026-03-30T08:45:00Z') });
  });

  it('stays where it was when it is dropped there', () => {
    expect(readDrop(POST, '2026-03-28', 10, BERLIN, NOW)).toEqual({ kind: 'same' });
    expect(readDrop(POST, '2026-03-28', null, BERLIN, NOW)).toEqual({ kind: 'same' });
  });

  it('is refused by a time that has passed', () => {
    expect(readDrop(POST, '2026-03-27', 12, BERLIN, NOW)).toEqual({ kind: 'past', time: '12:45' });
    expect(readDrop(POST, '2026-03-26', null, BERLIN, NOW)).toEqual({ kind: 'past', time: '10:45' });
  });

  it('asks for the time where it has passed today', () => {
    expect(readDrop(POST, '2026-03-27', null, BERLIN, NOW)).toEqual({
      kind: 'ask',
      wanted: { day: '2026-03-27', time: '10:45', isSecond: false },
    });
  });

  it('asks for the time where the clock skips it or shows it twice', () => {
    expect(readDrop(POST, '2026-03-29', 2, BERLIN, NOW)).toEqual({
      kind: 'ask',
      wanted: { day: '2026-03-29', time: '02:45', isSecond: false },
    });
    expect(readDrop(POST, '2026-10-25', 2, BERLIN, NOW)).toMatchObject({ kind: 'ask' });
  });
});
