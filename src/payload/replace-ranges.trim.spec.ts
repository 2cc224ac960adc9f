import fc from 'fast-check';
import { anyText, anyTextWithEntities } from '../../test/support/payload-properties.js';
import { clipEntities, endOf } from './entities.js';
import { findEntityProblems } from './read-lists.js';
import { trimText } from './replace-ranges.js';

const trimmed = (text: string, limit: number, reserve = 0) => trimText({ text, entities: [] }, limit, { reserve });

const boundaries = (text: string): Set<number> => {
  const segments = new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text);
  return new Set([...[...segments].map(({ index }) => index), text.length]);
};

describe('trimText (D-23)', () => {
  it('leaves a text that fits unchanged, trailing white space included', () => {
    const content = { text: 'four\n', entities: [{ type: 'bold', offset: 0, length: 4 }] } as const;
    expect(trimText(content, 5)).toEqual({ ...content, trimmedChars: 0 });
  });

  it.each([
    ['one unit too long', 'abcdef', 5, 0, 'abcd…', 2],
    ['a single unit of room', 'abcdef', 1, 0, '…', 6],
    ['no room at all', 'abcdef', 0, 0, '', 6],
    ['less than no room', 'abcdef', 3, 9, '', 6],
    ['room kept for what follows', 'abcdefghij', 9, 4, 'abcd…', 6],
    ['exactly the reserve left', 'abcdefghij', 9, 9, '', 10],
    ['at the end of a word', 'one two three', 8, 0, 'one two…', 6],
    ['back to the end of a word', 'one two three', 10, 0, 'one two…', 6],
    ['white space before the cut goes', 'one   two', 7, 0, 'one…', 6],
    ['a line break ends a word', 'one\r\ntwo three', 7, 0, 'one…', 11],
    ['nothing but white space', '          ', 4, 0, '…', 10],
    ['no word ends after leading white space', '  abcdefgh', 6, 0, '  abc…', 5],
    ['a surrogate pair at the cut', 'abc😀def', 5, 0, 'abc…', 5],
    ['a surrogate pair before the cut', 'abc😀def', 6, 0, 'abc😀…', 3],
    ['a combining mark', 'abce\u0301def', 5, 0, 'abc…', 5],
    ['a family', 'ab👨‍👩‍👧‍👦cdef', 12, 0, 'ab…', 15],
    ['a family that just fits', 'ab👨‍👩‍👧‍👦cdef', 14, 0, 'ab👨‍👩‍👧‍👦…', 4],
    ['flags pair from the run’s start', '🇫🇷🇩🇪🇮🇹', 7, 0, '🇫🇷…', 8],
    ['a skin tone', 'ok 👍🏽👍🏽', 9, 0, 'ok…', 9],
    ['Hangul that is written in parts', '각각각'.normalize('NFD'), 6, 0, '각'.normalize('NFD') + '…', 6],
    ['right-to-left words', 'שלום עולם טוב', 11, 0, 'שלום עולם…', 4],
  ])('%s', (_, text, limit, reserve, expected, trimmedChars) => {
    expect(trimmed(text, limit, reserve)).toEqual({ text: expected, entities: [], trimmedChars });
  });

  it('looks back at most 64 units for the end of a word', () => {
    const long = (word: number) => 'start ' + 'x'.repeat(word) + 'yyy';
    // With a limit of 70, 69 units fit besides the ellipsis; the first word ends at 5, 64 units earlier.
    expect(trimmed(long(64), 70).text).toBe('start…');
    expect(trimmed(' ' + long(64), 70).text).toBe(' start…');
    expect(trimmed(long(65), 71).text).toBe('start ' + 'x'.repeat(64) + '…');
  });

  it('drops a cluster that is longer than the limit instead of splitting it', () => {
    expect(trimmed('a' + '\u0301'.repeat(5_000), 100)).toEqual({ text: '…', entities: [], trimmedChars: 5_001 });
  });

  it('clips entities at the cut, before the ellipsis, and drops later ones', () => {
    const { entities } = trimText(
      {
        text: 'one two three four',
        entities: [
          { type: 'bold', offset: 0, length: 18 },
          { type: 'italic', offset: 4, length: 3 },
          { type: 'text_link', offset: 8, length: 5, url: 'https://example.org/' },
          { type: 'hashtag', offset: 4, length: 9 },
        ],
      },
      8,
    );
    expect(entities).toEqual([
      { type: 'bold', offset: 0, length: 7 },
      { type: 'italic', offset: 4, length: 3 },
    ]);
  });

  it('holds for every text: inside the limit, a prefix, no split cluster, entities inside and nested', () => {
    fc.assert(
      fc.property(anyTextWithEntities, fc.integer({ min: 0, max: 120 }), fc.nat(10), (content, limit, reserve) => {
        const result = trimText(content, limit, { reserve });
        if (result.trimmedChars === 0) return expect(result).toEqual({ ...content, trimmedChars: 0 });
        expect(result.text.length).toBeLessThanOrEqual(Math.max(0, limit - reserve));
        const kept = result.text.slice(0, -1);
        if (result.text !== '') expect(result.text).toBe(kept + '…');
        expect(content.text.startsWith(kept)).toBe(true);
        expect(content.text.length - kept.length).toBe(result.trimmedChars);
        expect(boundaries(content.text)).toContain(kept.length);
        expect(result.entities).toEqual(clipEntities(content.entities, kept.length));
        for (const entity of result.entities) expect(endOf(entity)).toBeLessThanOrEqual(kept.length);
        expect(findEntityProblems(result.text, result.entities)).toEqual([]);
      }),
      { seed: 23, numRuns: 1_000 },
    );
  });

  it('leaves a trimmed text unchanged', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 80 }), (text, limit) => {
        const once = trimmed(text, limit).text;
        expect(trimmed(once, limit)).toEqual({ text: once, entities: [], trimmedChars: 0 });
      }),
      { seed: 23, numRuns: 300 },
    );
  });
});
