import fc from 'fast-check';
import { anyTextWithEntities } from '../../test/support/payload-properties.js';
import type { Replacement } from '../domain/project/processing.js';
import { endOf, isIndivisible, type TextWithEntities } from '../payload/entities.js';
import type { Entity } from '../payload/payload.js';
import { findEntityProblems } from '../payload/read-lists.js';
import { MAX_PROCESSED_TEXT } from './edit-text.js';
import { applyReplacements } from './replacements.js';

const replaced = (text: string, ...rules: Replacement[]) =>
  applyReplacements({ text, entities: [] }, rules).content.text;

describe('replacements (D-28)', () => {
  it.each<[string, string, Replacement, string]>([
    ['every place', 'a-a', { from: 'a', to: 'b' }, 'b-b'],
    ['their own case alone', 'Cat cat', { from: 'cat', to: 'dog' }, 'Cat dog'],
    ['any case', 'Cat ΟΔΟΣ', { from: 'οδος', to: 'road', ignore_case: true }, 'Cat road'],
    ['inside of words', 'concatenate', { from: 'cat', to: 'dog' }, 'condogenate'],
    ['whole words', 'cat concat cats', { from: 'cat', to: 'dog', whole_word: true }, 'dog concat cats'],
    [
      'whole words of any case',
      'Дом, домик',
      { from: 'дом', to: 'Haus', whole_word: true, ignore_case: true },
      'Haus, домик',
    ],
    ['by nothing', 'text — ad', { from: ' — ad', to: '' }, 'text'],
    ['what looks like a pattern', 'a.b $1 a+b', { from: 'a.b', to: '$&' }, '$& $1 a+b'],
    ['an emoji', 'a🎈b', { from: '🎈', to: '!' }, 'a!b'],
    ['no part of a family', '👨‍👩‍👧', { from: '👩', to: '!' }, '👨‍👩‍👧'],
    ['no emoji without its tone', '👍🏽 👍', { from: '👍', to: '+1' }, '👍🏽 +1'],
    ['no letter without its accent', 'e\u0301 e', { from: 'e', to: 'x' }, 'e\u0301 x'],
    ['right to left', 'שלום עולם', { from: 'עולם', to: 'לכם', whole_word: true }, 'שלום לכם'],
    ['behind a letter that grows in lower case', 'İ Cat', { from: 'cat', to: 'dog', ignore_case: true }, 'İ dog'],
  ])('replace %s', (_, text, rule, expected) => expect(replaced(text, rule)).toBe(expected));

  it('are applied one after the other: a rule sees the results of those before it', () => {
    expect(replaced('a b', { from: 'a', to: 'b' }, { from: 'b', to: 'c' })).toBe('c c');
  });

  it('move an entity to the replacement of its words, and remove an address that changes', () => {
    const entities: Entity[] = [
      { type: 'bold', offset: 0, length: 3 },
      { type: 'url', offset: 4, length: 5 },
      { type: 'hashtag', offset: 10, length: 2 },
    ];
    const { content } = applyReplacements({ text: 'one a.com #b', entities }, [
      { from: 'one', to: 'three' },
      { from: 'com', to: 'org' },
    ]);
    expect(content).toEqual({
      text: 'three a.org #b',
      entities: [
        { type: 'bold', offset: 0, length: 5 },
        { type: 'hashtag', offset: 12, length: 2 },
      ],
    });
  });

  it('limit the growth of a text', () => {
    const rules = Array.from({ length: 20 }, () => ({ from: 'a', to: 'aa'.repeat(500) }));
    expect(replaced('a'.repeat(1_000), ...rules)).toHaveLength(MAX_PROCESSED_TEXT);
  });

  it('that would take too long are skipped with a warning', () => {
    const content = { text: 'a'.repeat(15_800), entities: [] };
    const { warnings } = applyReplacements(
      content,
      Array.from({ length: 500 }, () => ({ from: 'a', to: 'a' })),
    );
    expect(warnings).toEqual([
      { code: 'replacements_left_out', message: expect.stringMatching(/last 48\d rules were skipped/) },
    ]);
  });

  it('keep every entity on its words, whatever is replaced', () => {
    const rule = fc.record({
      from: fc.constantFrom('word', 'a', ' ', 'дом', '😀', '🇫', 'e', '漢', 'שלום', '\u0301'),
      mark: fc.integer({ min: 1, max: 9 }),
      whole_word: fc.boolean(),
      ignore_case: fc.boolean(),
    });
    fc.assert(
      fc.property(anyTextWithEntities, rule, (content, { from, mark, ...how }) => {
        // The replacement differs from everything in the text.
        const to = '\ue000'.repeat(mark);
        const { content: result } = applyReplacements(content, [{ from, to, ...how }]);
        const touched = new Set<Entity>();
        const kept: [number, number][] = [];
        for (let at = 0, old = 0; old < content.text.length || at < result.text.length;) {
          if (result.text[at] === '\ue000') {
            expect(result.text.slice(at, at + mark)).toBe(to);
            expect(content.text.slice(old, old + from.length).toLowerCase()).toBe(from.toLowerCase());
            for (const entity of content.entities)
              if (isIndivisible(entity) && entity.offset < old + from.length && endOf(entity) > old)
                touched.add(entity);
            at += mark;
            old += from.length;
          } else {
            expect(result.text[at]).toBe(content.text[old]);
            kept.push([at++, old++]);
          }
        }
        const covering = ({ entities }: TextWithEntities, place: number) =>
          entities.filter((e) => !touched.has(e) && e.offset <= place && place < endOf(e)).map(({ type }) => type);
        for (const [at, old] of kept) expect(covering(result, at)).toEqual(covering(content, old));
        expect(findEntityProblems(result.text, result.entities)).toEqual([]);
      }),
      { seed: 28, numRuns: 500 },
    );
  });
});
