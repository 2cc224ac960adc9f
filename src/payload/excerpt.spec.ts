import { excerptOf } from './excerpt.js';

const FAMILY = '👨‍👩‍👧‍👦'; // 11 units

describe('an excerpt', () => {
  it.each([undefined, null, ''])('of %j is null', (text) => expect(excerptOf(text)).toBeNull());

  it('of a short text is the text', () => expect(excerptOf('x'.repeat(120))).toBe('x'.repeat(120)));

  it('of a long text has 120 units, without an ellipsis', () =>
    expect(excerptOf('ж'.repeat(5_000))).toBe('ж'.repeat(120)));

  it.each([110, 115, 119])('ends before a grapheme that begins at %i and does not fit', (length) =>
    expect(excerptOf(`${'x'.repeat(length)}${FAMILY}y`)).toBe('x'.repeat(length)),
  );

  it('keeps a grapheme that just fits', () =>
    expect(excerptOf(`${'x'.repeat(109)}${FAMILY}yz`)).toBe(`${'x'.repeat(109)}${FAMILY}`));

  it('cuts a grapheme that is longer than an excerpt', () => {
    const found = excerptOf(`a${'\u0301'.repeat(300)}`)!;
    expect(found).toHaveLength(120);
  });
});
