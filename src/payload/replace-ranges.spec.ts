import fc from 'fast-check';
import { anyTextWithEntities } from '../../test/support/payload-properties.js';
import { endOf, type TextWithEntities } from './entities.js';
import type { Entity } from './payload.js';
import { findEntityProblems } from './read-lists.js';
import { replaceRange, replaceRanges } from './replace-ranges.js';

const bold = (offset: number, length: number): Entity => ({ type: 'bold', offset, length });

describe('replaceRange (D-28)', () => {
  const text = 'one two three';
  it.each([
    ['before the stretch, untouched', bold(0, 3), bold(0, 3)],
    ['up to the stretch, untouched', bold(0, 4), bold(0, 4)],
    ['the stretch itself, on its replacement', bold(4, 3), bold(4, 6)],
    ['around the stretch, longer', bold(2, 8), bold(2, 11)],
    ['behind the stretch, moved', bold(8, 5), bold(11, 5)],
    ['right behind the stretch, moved', bold(7, 2), bold(10, 2)],
    ['from before into the stretch, up to it', bold(0, 5), bold(0, 4)],
    ['from inside the stretch, from behind it', bold(5, 5), bold(10, 3)],
    ['inside the stretch, gone', bold(5, 1), undefined],
    ['the stretch’s first letters, gone', bold(4, 2), undefined],
  ])('%s', (_, entity, expected) => {
    const result = replaceRange({ text, entities: [entity] }, 4, 7, 'twenty');
    expect(result).toEqual({ text: 'one twenty three', entities: expected ? [expected] : [] });
  });

  it.each([
    ['inside an entity, which grows', 5, bold(4, 5)],
    ['at its start, which moves it', 4, bold(6, 3)],
    ['at its end, which leaves it', 7, bold(4, 3)],
  ])('inserts %s', (_, at, expected) => {
    expect(replaceRange({ text, entities: [bold(4, 3)] }, at, at, '!!').entities).toEqual([expected]);
  });

  it('drops an entity with its last word, and keeps the fields of the others', () => {
    const link: Entity = { type: 'text_link', offset: 8, length: 5, url: 'https://example.org/' };
    expect(replaceRange({ text, entities: [bold(4, 3), link] }, 4, 7, '')).toEqual({
      text: 'one  three',
      entities: [{ ...link, offset: 5 }],
    });
  });
});

describe('replaceRanges', () => {
  it('replaces several ranges at once', () => {
    const content = { text: 'a-b-c', entities: [bold(0, 5), bold(2, 1), bold(1, 3)] };
    const hyphens = [1, 3].map((start) => ({ start, end: start + 1, text: ' and ' }));
    expect(replaceRanges(content, hyphens)).toEqual({
      text: 'a and b and c',
      entities: [bold(0, 13), bold(6, 1), bold(1, 11)],
    });
  });

  it.each([
    ['out of order', [3, 4, 1, 2]],
    ['overlapping', [1, 3, 2, 4]],
    ['behind the text', [4, 6]],
    ['backwards', [2, 1]],
  ])('refuses replacements that are %s', (_, edges) => {
    const replacements = edges.flatMap((start, i) => (i % 2 ? [] : [{ start, end: edges[i + 1] ?? 0, text: '' }]));
    expect(() => replaceRanges({ text: 'abcde', entities: [] }, replacements)).toThrow(RangeError);
  });

  it('replaces eight thousand words under twelve thousand entities in one call', () => {
    const content: TextWithEntities = {
      text: 'x '.repeat(8_000),
      entities: Array.from({ length: 12_000 }, (_, i) => bold(i, 3_000)),
    };
    const words = Array.from({ length: 8_000 }, (_, i) => ({ start: i * 2, end: i * 2 + 1, text: 'word' }));
    const result = replaceRanges(content, words);
    expect(result.text).toBe('word '.repeat(8_000));
    expect(result.entities[2]).toEqual(bold(5, 7_500));
  });

  it('keeps every entity on its words for any replacements', () => {
    const edits = fc.array(fc.tuple(fc.nat(250), fc.nat(6), fc.string({ maxLength: 8 })), { maxLength: 8 });
    fc.assert(
      fc.property(anyTextWithEntities, edits, (content, candidates) => {
        const replacements = inOrder(candidates, content.text.length);
        const result = replaceRanges(content, replacements);

        // The origin of each character of the new text; undefined for inserted characters.
        const origin: (number | undefined)[] = [];
        let at = 0;
        for (const { start, end, text } of [...replacements, { start: content.text.length, end: 0, text: '' }]) {
          for (; at < start; at++) origin.push(at);
          origin.push(...text.split('').map(() => undefined));
          at = Math.max(at, end);
        }
        const unit = (position: number | undefined) => (position === undefined ? undefined : content.text[position]);
        origin.forEach((position, i) => position === undefined || expect(result.text[i]).toBe(unit(position)));
        expect(result.text).toHaveLength(origin.length);

        // Every kept character is covered by the same entities as before, compared as sorted lists of types.
        const covering = ({ entities }: TextWithEntities, position: number) =>
          entities.filter((e) => e.offset <= position && position < endOf(e)).map((e) => e.type);
        origin.forEach((position, i) => {
          if (position !== undefined) expect(covering(result, i)).toEqual(covering(content, position));
        });
        const placement = findEntityProblems(result.text, result.entities).filter(
          (p) => p.code !== 'entity_splits_character',
        );
        expect(placement).toEqual([]);
      }),
      { seed: 28, numRuns: 200 },
    );
  });
});

/** Turns arbitrary triples into ordered, non-overlapping replacements in a text of `length` units. */
const inOrder = (candidates: readonly (readonly [number, number, string])[], length: number) => {
  let free = 0;
  return [...candidates]
    .sort(([a], [b]) => a - b)
    .flatMap(([start, span, text]) => {
      const from = Math.max(start, free);
      if (from > length) return [];
      const end = Math.min(length, from + span);
      free = end;
      return [{ start: from, end, text }];
    });
};
