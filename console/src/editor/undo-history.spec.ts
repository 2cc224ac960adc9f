import fc from 'fast-check';
import { findChange } from './undo-history.js';

describe('findChange', () => {
  it('ends at the caret where it is ambiguous', () => {
    expect(findChange('aaaa', 'aaaaa', 2)).toEqual({ start: 1, end: 1, replacement: 'a' });
    expect(findChange('aaaaa', 'aaaa', 2)).toEqual({ start: 2, end: 3, replacement: '' });
  });

  it('finds the words of an input method', () => {
    expect(findChange('see ', 'see にほん', 7)).toEqual({ start: 4, end: 4, replacement: 'にほん' });
    expect(findChange('see にほん', 'see 日本', 6)).toEqual({ start: 4, end: 7, replacement: '日本' });
  });

  it('changes whole characters', () => {
    expect(findChange('🌅', '🌆', 2)).toEqual({ start: 0, end: 2, replacement: '🌆' });
    expect(findChange('x', 'x', 1)).toBeNull();
  });

  it('turns any text into any other, without half characters', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', '🌅', '🌆', '😀'), { maxLength: 10 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, text, fc.nat(20), (before, after, caret) => {
        const change = findChange(before, after, Math.min(caret, after.length));
        if (!change) return expect(before).toBe(after);
        const { start, end, replacement } = change;
        expect(before.slice(0, start) + replacement + before.slice(end)).toBe(after);
        expect(`${before.slice(0, start)}|${replacement}|${before.slice(end)}`).not.toMatch(/\p{Surrogate}/u);
      }),
      { seed: 36 },
    );
  });
});
