import fc from 'fast-check';
import { checkEntities } from './check-entities.js';
import type { TextWithEntities } from './entities.js';
import { ENTITY_TYPES, type Entity } from './payload.js';

/** Pieces in which characters, clusters, words and directions meet in every way that text has in the field. */
const PIECES = [
  'word',
  'дом',
  'a',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\u00a0',
  '.',
  '😀',
  '👨‍👩‍👧‍👦',
  '👍🏽',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🇫🇷',
  '🇫',
  'e\u0301',
  '\u0301',
  '\u200d',
  '\ufe0f',
  'שלום',
  'مرحبا',
  '\u0600',
  'क्षि',
  '\u1100\u1161\u11a8',
  '漢字',
  '\u202e',
];

/** Text of up to some 200 units, well-formed, rich in clusters that must not be split. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 40 })
  .map((pieces) => pieces.join(''));

/** A text with entities that are rightly placed and nested, in no particular order. */
export const anyTextWithEntities: fc.Arbitrary<TextWithEntities> = anyText.chain((text) => {
  const entity = fc
    .record({
      type: fc.constantFrom(...ENTITY_TYPES),
      offset: fc.nat(Math.max(0, text.length - 1)),
      length: fc.integer({ min: 1, max: Math.max(1, text.length) }),
    })
    .map((raw): Entity => raw);
  return fc.array(entity, { maxLength: 12 }).map((candidates) => ({
    text,
    entities: candidates.reduce<Entity[]>((placed, candidate) => {
      const more = [...placed, candidate];
      return checkEntities(text, more).length === 0 ? more : placed;
    }, []),
  }));
});
