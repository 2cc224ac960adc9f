import type { LedgerEntity } from '../kit/ledger-entry.js';
import { EXTERNAL, safeHref } from './safe-href.js';
import { element, type WallElement, type WallNode } from './wall-node.js';

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
