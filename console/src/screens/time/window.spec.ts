import { axisMarks, isInside, meets, percentOf, windowAround, windowCentred } from './window.js';

const NOW = Date.parse('2026-11-26T14:02:07Z');
const HOUR = 3_600_000;

describe('the window of the time machine', () => {
  it('ends a little after the present while it shows a recent moment', () => {
    const window = windowAround(NOW - HOUR, 'hours', NOW, null);
    expect(window.to).toBeGreaterThan(NOW);
    expect(window.to - NOW).toBeLessThan(HOUR / 2);
    expect(isInside(window, NOW - HOUR)).toBe(true);
  });

  it('stands around an older moment', () => {
    const at = NOW - 40 * HOUR;
    const window = windowAround(at, 'hours', NOW, null);
    expect(Math.abs(percentOf(window, at) - 50)).toBeLessThan(2);
  });

  it('does not move with every second', () => {
    expect(windowAround(NOW, 'day', NOW + 1000, null)).toEqual(windowAround(NOW, 'day', NOW, null));
  });

  it('has the moment in its middle on a phone, and events on both sides of it', () => {
    for (const at of [NOW, NOW - HOUR, NOW - 1234 * HOUR - 567]) {
      const { window, loaded } = windowCentred(at, 'hours', NOW, null);
      expect(percentOf(window, at)).toBe(50);
      expect(loaded.from).toBeLessThanOrEqual(window.from);
      expect(loaded.to).toBeGreaterThanOrEqual(window.to);
    }
    const near = windowCentred(NOW, 'hours', NOW, null).loaded;
    expect(windowCentred(NOW + 60_000, 'hours', NOW, null).loaded).toEqual(near);
  });

  it('holds the spans that reach into it', () => {
    const window = { from: 100, to: 200 };
    expect(meets(window, 50, 99)).toBe(false);
    expect(meets(window, 50, 100)).toBe(true);
    expect(meets(window, 50, null)).toBe(true);
    expect(meets(window, 201, null)).toBe(false);
  });

  it('is the whole history', () => {
    const first = NOW - 1000 * HOUR;
    const window = windowAround(first, 'all', NOW, first);
    expect(isInside(window, first)).toBe(true);
    expect(isInside(window, NOW)).toBe(true);
  });

  it('has at most eight marks, at equal distances', () => {
    for (const span of ['hour', 'hours', 'day', 'month'] as const) {
      const marks = axisMarks(windowAround(NOW, span, NOW, null));
      expect(marks.length).toBeGreaterThan(2);
      expect(marks.length).toBeLessThanOrEqual(9);
      expect(new Set(marks.slice(1).map((mark, index) => mark - marks[index]!)).size).toBe(1);
    }
  });
});
