import fc from 'fast-check';
import { anyTextWithEntities } from '../../test/support/payload-properties.js';
import { clipEntities, endOf, shiftEntities, sortEntities } from './entities.js';
import { type Entity, ENTITY_TYPES, type EntityType } from './payload.js';
import { findEntityProblems } from './read-lists.js';

const TEXT = 'abc😀defgh'; // ten units; units 3 and 4 are one character
const entity = (type: EntityType, offset: number, length: number): Entity => ({ type, offset, length });
const codes = (text: string, ...entities: Entity[]) =>
  findEntityProblems(text, entities).map(({ path, code }) => `${path} ${code}`);

describe('findEntityProblems: ranges (D-5)', () => {
  it.each([
    ['the whole text', 0, 10, []],
    ['its last unit', 9, 1, []],
    ['one unit past its end', 9, 2, ['entities[0].length entity_out_of_range']],
    ['from its end', 10, 1, ['entities[0].offset entity_out_of_range']],
    ['far behind it', 1e308, 1, ['entities[0].offset entity_out_of_range']],
    ['a whole character of two units', 3, 2, []],
    ['its first half', 3, 1, ['entities[0].length entity_splits_character']],
    ['its second half', 4, 1, ['entities[0].offset entity_splits_character']],
    ['up to its middle', 0, 4, ['entities[0].length entity_splits_character']],
    ['from its middle', 4, 3, ['entities[0].offset entity_splits_character']],
  ])('%s', (_, offset, length, expected) => {
    expect(codes(TEXT, entity('bold', offset, length))).toEqual(expected);
  });

  it('names the place, the problem and the correction', () => {
    expect(findEntityProblems('hello', [entity('bold', 0, 1), entity('italic', 3, 4)], 'signature.entities')).toEqual([
      {
        path: 'signature.entities[1].length',
        code: 'entity_out_of_range',
        message:
          'signature.entities[1] covers units 3 to 7, but the text has only 5: ' +
          'count offset and length in UTF-16 units, from 0',
      },
    ]);
  });

  it('keeps indices true if an entity was refused before', () => {
    expect(findEntityProblems('hi', [undefined, entity('bold', 2, 1)])[0]?.path).toBe('entities[1].offset');
  });
});

describe('findEntityProblems: nesting (D-43)', () => {
  const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
  const QUOTES = ['blockquote', 'expandable_blockquote'];
  const VERBATIM = ['code', 'pre'];
  /** The networks' rule, written independently of the code under test. */
  const mayHold = (outer: EntityType, inner: EntityType): boolean => {
    if (VERBATIM.includes(outer)) return false;
    if (QUOTES.includes(outer)) return !QUOTES.includes(inner);
    if (STYLES.includes(outer)) return !VERBATIM.includes(inner);
    return STYLES.includes(inner);
  };
  const pairs = ENTITY_TYPES.flatMap((outer) => ENTITY_TYPES.map((inner) => [outer, inner] as const));

  it.each(pairs)('%s around %s', (outer, inner) => {
    const expected = mayHold(outer, inner) ? [] : ['entities[1] entities_nest_wrongly'];
    expect(codes('abcdefgh', entity(outer, 1, 6), entity(inner, 2, 2))).toEqual(expected);
    expect(codes('abcdefgh', entity(outer, 1, 6), entity(inner, 1, 2))).toEqual(expected);
    expect(codes('abcdefgh', entity(outer, 1, 6), entity(inner, 5, 2))).toEqual(expected);
  });

  it.each(pairs)('%s and %s on the same words', (one, other) => {
    const fine = mayHold(one, other) || mayHold(other, one);
    expect(codes('abcdefgh', entity(one, 1, 6), entity(other, 1, 6))).toHaveLength(fine ? 0 : 1);
  });

  it.each(pairs)('%s and %s may touch but never overlap partly', (one, other) => {
    expect(codes('abcdefgh', entity(one, 0, 5), entity(other, 3, 5))).toEqual(['entities[1] entities_nest_wrongly']);
    expect(codes('abcdefgh', entity(other, 4, 4), entity(one, 0, 4))).toEqual([]);
  });

  it('looks through intermediate entities: a quote in bold in a quote', () => {
    const quotes = [entity('blockquote', 0, 8), entity('bold', 1, 6), entity('expandable_blockquote', 2, 2)];
    expect(findEntityProblems('abcdefgh', quotes)).toEqual([
      {
        path: 'entities[2]',
        code: 'entities_nest_wrongly',
        message:
          'entities[2] (expandable_blockquote, 2–4) is inside entities[0] (blockquote, 0–8), where it is not allowed: ' +
          'remove one of the two',
      },
    ]);
  });

  it('allows code in a quote, where bold would not', () => {
    expect(codes('abcdefgh', entity('blockquote', 0, 8), entity('pre', 0, 4), entity('bold', 5, 2))).toEqual([]);
  });

  it('reports at most fifty problems, also for fifteen thousand entities', () => {
    const nested = Array.from({ length: 15_000 }, (_, i) => entity('italic', i, 15_000 - i));
    expect(findEntityProblems('x'.repeat(15_000), nested)).toEqual([]);
    expect(
      findEntityProblems('x'.repeat(15_000), [...nested, ...nested.map((e) => ({ ...e, type: 'code' as const }))]),
    ).toHaveLength(50);
    expect(findEntityProblems('', nested)).toHaveLength(50);
  });
});

describe('entity operations', () => {
  it('sorts in nesting order: by start, longer ones first, quotes outermost', () => {
    const sorted = [
      entity('blockquote', 0, 5),
      entity('bold', 0, 5),
      entity('text_link', 0, 5),
      entity('code', 0, 2),
      entity('bold', 1, 1),
    ];
    expect(sortEntities([...sorted].reverse())).toEqual(sorted);
  });

  it('shifts forward and back', () => {
    fc.assert(
      fc.property(anyTextWithEntities, fc.nat(100), ({ text, entities }, by) => {
        const shifted = shiftEntities(entities, by);
        expect(findEntityProblems(' '.repeat(by) + text, shifted)).toEqual([]);
        expect(shiftEntities(shifted, -by)).toEqual(entities);
      }),
      { seed: 5, numRuns: 100 },
    );
  });

  it.each([
    ['inside', entity('bold', 0, 5), entity('bold', 0, 5)],
    ['one unit over', entity('bold', 0, 6), entity('bold', 0, 5)],
    ['from the cut on', entity('bold', 5, 1), undefined],
    ['an address that the cut crosses', entity('email', 2, 4), undefined],
    ['an address that ends there', entity('email', 2, 3), entity('email', 2, 3)],
  ])('clips at five units: %s', (_, before, after) => {
    expect(clipEntities([before], 5)).toEqual(after ? [after] : []);
  });

  it('clips to entities that are still inside and correctly nested', () => {
    fc.assert(
      fc.property(anyTextWithEntities, fc.nat(200), ({ text, entities }, length) => {
        const clipped = clipEntities(entities, length);
        expect(Math.max(0, ...clipped.map(endOf))).toBeLessThanOrEqual(length);
        const nesting = findEntityProblems(text.slice(0, length), clipped).filter(
          (p) => p.code === 'entities_nest_wrongly',
        );
        expect(nesting).toEqual([]);
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
