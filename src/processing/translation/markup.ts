import { checkEntities } from '../../payload/check-entities.js';
import {
  endOf,
  type EntityPlace,
  isIndivisible,
  kindOf,
  sortEntities,
  type TextWithEntities,
} from '../../payload/entities.js';
import type { Entity } from '../../payload/payload.js';

/** A translated text, and where the entities that came back stand in it. */
export interface ReadMarkup {
  readonly text: string;
  readonly places: readonly EntityPlace[];
}

/** Whether an entity's words are left as they are: code is no language, and an address or emoji is what it says. */
const isLeft = (entity: Entity): boolean => isIndivisible(entity) || kindOf(entity.type) === 'verbatim';

/**
 * A text as HTML that a translation service keeps the tags of: each entity a `span` with its place in the order of
 * nesting as `id`; what is not to be translated says so.
 */
export const toMarkup = ({ text, entities }: TextWithEntities): string => {
  const ends: number[] = [];
  let html = '';
  let at = 0;
  const writeTo = (position: number): void => {
    html += escapeHtml(text.slice(at, position));
    at = position;
  };
  const closeTo = (position: number): void => {
    for (let end = ends.at(-1); end !== undefined && end <= position; end = ends.at(-1)) {
      writeTo(end);
      html += '</span>';
      ends.pop();
    }
  };
  for (const [id, entity] of sortEntities(entities).entries()) {
    closeTo(entity.offset);
    writeTo(entity.offset);
    html += `<span id="${id}"${isLeft(entity) ? ' translate="no"' : ''}>`;
    ends.push(endOf(entity));
  }
  closeTo(text.length);
  writeTo(text.length);
  return html;
};

interface Open {
  readonly id: number | null;
  readonly start: number;
}

const TOKEN = /<(\/?)span\b([^<>]*)>|<\/?[a-z!][^<>]*>|&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi;

/**
 * Reads a translation of {@link toMarkup} back: its text, and each entity where its tags have come to stand. What was not
 * to be translated has its own words again, whatever came back. An entity without its tags, or one that would nest
 * wrongly now, is lost; none ever stands on words that it was not given.
 *
 * @returns null where the tags make no sense any more.
 */
export const fromMarkup = (html: string, original: TextWithEntities): ReadMarkup | null => {
  const sorted = sortEntities(original.entities);
  const placed: (Entity | undefined)[] = [];
  const open: Open[] = [];
  let text = '';
  let at = 0;
  /** How many tags are open inside of what is left as it was; 0 outside. */
  let skipped = 0;

  for (const token of html.matchAll(TOKEN)) {
    if (skipped === 0) text += html.slice(at, token.index);
    at = token.index + token[0].length;
    const [, slash, attributes, reference] = token;
    if (skipped > 0) {
      if (slash !== undefined) skipped += slash === '' ? 1 : -1;
    } else if (reference !== undefined) {
      text += characterOf(reference) ?? token[0];
    } else if (slash === '') {
      const id = idIn(attributes ?? '', sorted.length);
      const entity = id === null || placed[id] ? undefined : sorted[id];
      if (entity && isLeft(entity)) {
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
  const places = nestingRightly(text, placed).map(({ id, offset, length }): EntityPlace => [
    indices.get(sorted[id]!)!,
    offset,
    length,
  ]);
  return { text, places };
};

/** Places an entity with its own words, and those inside of it. @returns the words */
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

/** Those that nest; none where so many do not that the service must have lost its way. */
const nestingRightly = (
  text: string,
  placed: readonly (Entity | undefined)[],
): readonly (Entity & { id: number })[] => {
  let sound = placed.flatMap((entity, id) => (entity ? [{ ...entity, id }] : []));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const wrong = new Set(checkEntities(text, sound).map(({ path }) => Number(/^entities\[(\d+)\]/.exec(path)?.[1])));
    if (wrong.size === 0) return sound;
    sound = sound.filter((_, index) => !wrong.has(index));
  }
  return [];
};

/** Each finds some fifty that nest wrongly. */
const MAX_ROUNDS = 20;

const idIn = (attributes: string, count: number): number | null => {
  const id = /\bid\s*=\s*["']?(\d{1,6})\b/i.exec(attributes)?.[1];
  return id !== undefined && Number(id) < count ? Number(id) : null;
};

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const characterOf = (reference: string): string | undefined => {
  if (!reference.startsWith('#')) return NAMED[reference.toLowerCase()];
  const isHex = /^#x/i.test(reference);
  const code = parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
