import type { LedgerEntity } from '../kit/ledger-entry.js';
import { element, type WallElement, type WallNode } from './wall-node.js';

/** Returns a link's address; null for unsafe schemes (`javascript:` …). If there is no scheme, assumes http. */
export const safeHref = (url: string): string | null => {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  return /^(?:https?|tg|mailto|tel):/i.test(absolute) ? absolute : null;
};

/** Attributes for a link to another site. */
export const EXTERNAL = { target: '_blank', rel: 'noopener noreferrer nofollow' } as const;

/** Order of entities that cover the same range, outermost first. */
const OUTERMOST_FIRST = ['blockquote', 'expandable_blockquote', 'pre', 'text_link', 'url'];
const rank = (type: string): number => {
  const place = OUTERMOST_FIRST.indexOf(type);
  return place < 0 ? OUTERMOST_FIRST.length : place;
};

const BLOCKS = new Set(['blockquote', 'expandable_blockquote', 'pre']);

/** Addresses, mentions and hashtags that a network detects in plain text. */
const DETECTED =
  /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}»”’]|(?<![\w@])@[a-z]\w{3,31}\b|(?<![\w#&])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/giu;

/**
 * Formats text with its entities and detected addresses, mentions and hashtags, all properly nested (overlapping
 * entities are split). Offsets count UTF-16 code units; entities outside the text are omitted.
 * @param hidden tooltip for a spoiler
 */
export const formatText = (text: string, entities: readonly LedgerEntity[], hidden: string): readonly WallNode[] => {
  const all = [...entities, ...detectEntities(text, entities)]
    .map((entity): Span => {
      const { type, offset: start, length } = entity;
      return { type, start, end: Math.min(start + length, text.length), outline: outlineOf(entity, text, hidden) };
    })
    .filter(({ start, end }) => start >= 0 && start < end)
    .sort((a, b) => a.start - b.start || b.end - a.end || rank(a.type) - rank(b.type));
  const borders = [...new Set([0, text.length, ...all.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );

  const nodes: WallNode[] = [];
  let open: OpenSpan[] = [];
  for (const [index, start] of borders.entries()) {
    const end = borders[index + 1] ?? start;
    const wanted = all.filter((span) => span.start <= start && span.end > start);
    const differs = open.findIndex(({ span }, depth) => span !== wanted[depth]);
    const kept = differs < 0 ? open.length : differs;
    const closed = open.slice(kept);
    open = open.slice(0, kept);
    for (const span of wanted.slice(kept)) {
      const children: WallNode[] = [];
      (open.at(-1)?.children ?? nodes).push(fill(span.outline, children));
      open.push({ span, children });
    }
    // A block element ends its line, so a line feed after it would show up as an empty line.
    const skip = closed.some(({ span }) => BLOCKS.has(span.type)) && text[start] === '\n' ? 1 : 0;
    const words = text.slice(start + skip, end);
    if (words !== '') (open.at(-1)?.children ?? nodes).push(words);
  }
  return nodes;
};

/** The elements of an entity, without their content, outermost first. */
type Outline = readonly [WallElement, ...WallElement[]];

/** A range of the text, and the elements around it. */
interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly outline: Outline;
}

/** A range whose elements are not complete yet. */
interface OpenSpan {
  readonly span: Span;
  readonly children: WallNode[];
}

/** Nests the elements of an outline and puts the children into the innermost element. */
const fill = ([outer, ...inner]: Outline, children: readonly WallNode[]): WallElement => ({
  ...outer,
  children: inner.length > 0 ? [fill(inner as [WallElement], children)] : children,
});

const detectEntities = (text: string, entities: readonly LedgerEntity[]): LedgerEntity[] =>
  [...text.matchAll(DETECTED)]
    .map(({ 0: { length }, index }) => ({
      type: text[index] === '@' ? 'mention' : text[index] === '#' ? 'hashtag' : 'url',
      offset: index,
      length,
    }))
    .filter(
      ({ offset, length }) =>
        !entities.some(
          (entity) =>
            ['text_link', 'code', 'pre', 'custom_emoji'].includes(entity.type) &&
            entity.offset < offset + length &&
            offset < entity.offset + entity.length,
        ),
    );

const ELEMENTS: Readonly<Record<string, WallElement>> = {
  bold: element('b'),
  italic: element('i'),
  underline: element('u'),
  strikethrough: element('s'),
  code: element('code'),
  blockquote: element('blockquote'),
  expandable_blockquote: element('blockquote', { class: 'expandable', tabindex: '0' }),
  hashtag: element('span', { class: 'tag' }),
  mention: element('span', { class: 'tag' }),
};
const PLAIN = element('span');

const outlineOf = (entity: LedgerEntity, text: string, hidden: string): Outline => {
  const { type, offset, length, language, url } = entity;
  if (type === 'pre') {
    const isNamed = typeof language === 'string' && language !== '';
    return [element('pre', isNamed ? { 'data-language': language } : {}), element('code')];
  }
  if (type === 'spoiler') return [element('span', { class: 'spoiler', tabindex: '0', title: hidden })];
  if (type === 'text_link' || type === 'url') {
    const href = safeHref(typeof url === 'string' ? url : text.slice(offset, offset + length));
    return [href === null ? PLAIN : element('a', { href, ...EXTERNAL })];
  }
  return [Object.hasOwn(ELEMENTS, type) ? ELEMENTS[type]! : PLAIN];
};

/** Hues for avatars and names; all are readable on light and dark backgrounds. */
const HUES = [4, 24, 140, 178, 208, 262, 330];

/** CSS rules for the hues, because the Content-Security-Policy forbids style attributes. */
export const HUE_RULES = HUES.map((hue) => `[data-hue="${hue}"] { --hue: ${hue}; }`).join('\n');

/** Returns a stable hue for a channel. */
export const hueOf = (key: string): number =>
  HUES[[...key].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973, 0) % HUES.length] ?? 0;
