import {
  endOf,
  entityKindOf,
  type EntityPlace,
  isIndivisible,
  sortEntities,
  type TextWithEntities,
} from '../../payload/entities.js';
import { renderMarkup, type Tags } from '../../payload/markup.js';
import type { Entity } from '../../payload/payload.js';
import { findEntityProblems } from '../../payload/read-lists.js';
import type { TranslatedText } from './translation.js';

/** True if an entity's words must not be translated: code, addresses, emoji. */
const isUntranslatable = (entity: Entity): boolean => isIndivisible(entity) || entityKindOf(entity.type) === 'verbatim';

/**
 * Renders text as HTML that a translation service can preserve: each entity becomes a `span` with its index in nesting
 * order as `id`, and `translate="no"` if it must not be translated.
 */
export const renderSpans = (content: TextWithEntities): string =>
  renderMarkup(content, spanOf, (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );

const spanOf = (entity: Entity, id: number): Tags => [
  `<span id="${id}"${isUntranslatable(entity) ? ' translate="no"' : ''}>`,
  '</span>',
];

interface OpenTag {
  readonly id: number | null;
  readonly start: number;
}

const TOKEN = /<(\/?)span\b([^<>]*)>|<\/?[a-z!][^<>]*>|&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi;

/**
 * Parses a translation of {@link renderSpans}'s output. Untranslatable parts get their original words back, whatever
 * the service returned. An entity is lost if its tags are missing or misnested; no entity ever covers words that its
 * tags did not enclose.
 * @returns null if the tags cannot be read
 */
export const parseMarkup = (html: string, original: TextWithEntities): TranslatedText | null => {
  const sorted = sortEntities(original.entities);
  const placed: (Entity | undefined)[] = [];
  const open: OpenTag[] = [];
  let text = '';
  let at = 0;
  /** Number of open tags inside an untranslatable part; 0 outside. */
  let skipped = 0;

  for (const token of html.matchAll(TOKEN)) {
    if (skipped === 0) text += html.slice(at, token.index);
    at = token.index + token[0].length;
    const [, slash, attributes, reference] = token;
    if (skipped > 0) {
      if (slash !== undefined) skipped += slash === '' ? 1 : -1;
    } else if (reference !== undefined) {
      text += decodeReference(reference) ?? token[0];
    } else if (slash === '') {
      const id = parseId(attributes ?? '', sorted.length);
      const entity = id === null || placed[id] ? undefined : sorted[id];
      if (entity && isUntranslatable(entity)) {
        skipped = 1;
        text += restore(original.text, sorted, id!, text.length, placed);
      } else open.push({ id: entity ? id : null, start: text.length });
    } else if (slash === '/') {
      const { id, start } = open.pop() ?? { id: null, start: 0 };
      if (id !== null && text.length > start && !placed[id])
        placed[id] = { ...sorted[id]!, offset: start, length: text.length - start };
    }
  }
  if (skipped > 0) return null;
  text += html.slice(at);
  const indices = new Map(original.entities.map((entity, index) => [entity, index]));
  const places = keepNested(text, placed).map(({ id, offset, length }): EntityPlace => [
    indices.get(sorted[id]!)!,
    offset,
    length,
  ]);
  return { text, places };
};

/** Restores an untranslatable entity and the entities inside it. @returns its original words */
const restore = (
  text: string,
  sorted: readonly Entity[],
  id: number,
  at: number,
  placed: (Entity | undefined)[],
): string => {
  const outer = sorted[id]!;
  for (let inner = id; inner < sorted.length && sorted[inner]!.offset < endOf(outer); inner++)
    placed[inner] = { ...sorted[inner]!, offset: sorted[inner]!.offset - outer.offset + at };
  return text.slice(outer.offset, endOf(outer));
};

/** Removes misnested entities, or all entities if too many are misnested, because the service has mixed up the tags. */
const keepNested = (text: string, placed: readonly (Entity | undefined)[]): readonly (Entity & { id: number })[] => {
  let sound = placed.flatMap((entity, id) => (entity ? [{ ...entity, id }] : []));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wrong = new Set(
      findEntityProblems(text, sound).map(({ path }) => Number(/^entities\[(\d+)\]/.exec(path)?.[1])),
    );
    if (wrong.size === 0) return sound;
    sound = sound.filter((_, index) => !wrong.has(index));
  }
  return [];
};

/** Maximum number of rounds; each finds at most 50 misnested entities. */
const MAX_ROUNDS = 20;

const parseId = (attributes: string, count: number): number | null => {
  const id = /\bid\s*=\s*["']?(\d{1,6})\b/i.exec(attributes)?.[1];
  return id !== undefined && Number(id) < count ? Number(id) : null;
};

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const decodeReference = (reference: string): string | undefined => {
  if (!reference.startsWith('#')) return NAMED[reference.toLowerCase()];
  const isHex = /^#x/i.test(reference);
  const code = parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
};
