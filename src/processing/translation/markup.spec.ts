import fc from 'fast-check';
import { anyTextWithEntities } from '../../../test/support/payload-properties.js';
import {
  endOf,
  entityKindOf,
  isIndivisible,
  placeEntities,
  sortEntities,
  type TextWithEntities,
} from '../../payload/entities.js';
import type { Entity } from '../../payload/payload.js';
import { findEntityProblems } from '../../payload/read-lists.js';
import { parseMarkup, renderSpans } from './markup.js';

/** Parses a translation into text and complete entities. */
const parseWithEntities = (html: string, original: TextWithEntities) => {
  const read = parseMarkup(html, original);
  if (read === null) return null;
  const entities = placeEntities(original.entities, read.places);
  return { content: { text: read.text, entities }, lost: original.entities.length - entities.length };
};

const bold = (offset: number, length: number): Entity => ({ type: 'bold', offset, length });
const code = (offset: number, length: number): Entity => ({ type: 'code', offset, length });
const link = (offset: number, length: number): Entity => ({
  type: 'text_link',
  offset,
  length,
  url: 'https://a.example/',
});

describe('a text rendered for translation', () => {
  it('is HTML with a tag for each entity, and marks parts that must not be translated', () => {
    const content = { text: 'a < b & <c> d', entities: [code(8, 3), bold(0, 13), link(4, 1)] };
    expect(renderSpans(content)).toBe(
      '<span id="0">a &lt; <span id="1">b</span> &amp; <span id="2" translate="no">&lt;c&gt;</span> d</span>',
    );
  });
});

describe('a parsed translation', () => {
  const content: TextWithEntities = { text: 'красный дом стоит', entities: [bold(0, 7), link(8, 3)] };

  it('has each entity at the place of its tags, in any order', () => {
    const html = 'Стоит <span id="1">la maison</span> <SPAN ID=\'0\'>rouge</SPAN> &amp; &#171;x&#xBB; &nbsp;&unknown;';
    expect(parseWithEntities(html, content)).toEqual({
      content: {
        text: 'Стоит la maison rouge & «x» \u00a0&unknown;',
        entities: [{ ...bold(16, 5) }, { ...link(6, 9) }],
      },
      lost: 0,
    });
  });

  it.each([
    ['without tags', 'red house', 2],
    ['with foreign tags', '<p>red <b>house</b><br/><span id="7">x</span></p>', 2],
    ['with an empty tag', '<span id="0"></span>red <span id="1">house</span>', 1],
    ['with a tag that never closes', '<span id="0">red <span id="1">house</span>', 1],
    ['with an extra tag', '</span>red <span id="1">house</span></span>', 1],
  ])('%s has lost formatting, but no words', (_, html, lost) => {
    const read = parseWithEntities(html, content);
    expect(read?.lost).toBe(lost);
    expect(read?.content.text).toContain('red house');
  });

  it('ignores a second tag of the same entity', () => {
    const html = '<span id="0">red</span> <span id="0">house</span>';
    expect(parseWithEntities(html, content)?.content).toEqual({ text: 'red house', entities: [bold(0, 3)] });
  });

  it('has the original words of untranslatable parts, with the entities inside them', () => {
    const text = 'see #news now';
    const entities: Entity[] = [{ type: 'hashtag', offset: 4, length: 5 }, bold(5, 4)];
    const html = 'смотри <span id="0" translate="no">#нов<span id="1">ости</span></span> сейчас';
    expect(parseWithEntities(html, { text, entities })).toEqual({
      content: { text: 'смотри #news сейчас', entities: [{ type: 'hashtag', offset: 7, length: 5 }, bold(8, 4)] },
      lost: 0,
    });
  });

  it('is null if an untranslatable part never ends', () => {
    expect(parseWithEntities('a <span id="0">b', { text: 'x', entities: [code(0, 1)] })).toBeNull();
  });

  it('has no entities that nest wrongly', () => {
    const crossed = { text: 'ab', entities: [bold(0, 1), code(1, 1)] };
    const read = parseWithEntities('<span id="0">x <span id="1">y</span></span>', crossed);
    expect(read).toEqual({ content: { text: 'x b', entities: [bold(0, 3)] }, lost: 1 });
  });
});

const isUntranslatable = (entity: Entity) => isIndivisible(entity) || entityKindOf(entity.type) === 'verbatim';

it('keeps every entity on its words, whatever the translation', () => {
  fc.assert(
    fc.property(anyTextWithEntities, (content) => {
      // The translation doubles every letter outside untranslatable parts, so that every offset is known.
      const double = (text: string) => text.replace(/[a-zа-яא-ת]/gu, '$&$&');
      const html = renderSpans(content)
        .split(/(<[^>]*>|&[a-z]+;)/)
        .map((part) => (/^[<&]/.test(part) ? part : double(part)))
        .join('');
      const places = [0];
      for (let at = 0; at < content.text.length; at++) {
        const isKept = content.entities.some((e) => isUntranslatable(e) && e.offset <= at && at < endOf(e));
        const unit = content.text[at]!;
        places.push(places[at]! + (isKept ? 1 : double(unit).length));
      }
      const read = parseWithEntities(html, content)!;
      const expected = sortEntities(content.entities).map((entity) => {
        const offset = places[entity.offset]!;
        return { ...entity, offset, length: places[endOf(entity)]! - offset };
      });
      expect(read).toEqual({ content: { text: expect.any(String), entities: expected }, lost: 0 });
      expect(read.content.text).toHaveLength(places.at(-1)!);
    }),
    { seed: 28, numRuns: 500 },
  );
});

it('gives valid entities for any answer', () => {
  const cut = fc.tuple(
    fc.nat(400),
    fc.nat(60),
    fc.constantFrom('', '<span id="1">', '</span>', '<', '&#0;', '<span id="0" '),
  );
  fc.assert(
    fc.property(anyTextWithEntities, fc.array(cut, { maxLength: 5 }), (content, cuts) => {
      const html = cuts.reduce(
        (text, [at, length, put]) => text.slice(0, at) + put + text.slice(at + length),
        renderSpans(content),
      );
      const read = parseWithEntities(html, content);
      if (read === null) return;
      const sound = findEntityProblems(read.content.text, read.content.entities);
      expect(sound).toEqual([]);
      expect(read.lost).toBe(content.entities.length - read.content.entities.length);
    }),
    { seed: 29, numRuns: 1_000 },
  );
});
