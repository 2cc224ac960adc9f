import type { LedgerEntity } from '../kit/ledger.js';
import { escapeHtml, safeHref } from './escape-html.js';

/** Order of entities over the same range: outermost first. */
const OUTERMOST_FIRST = ['blockquote', 'expandable_blockquote', 'pre', 'text_link', 'url'];
const rank = (type: string): number => {
  const place = OUTERMOST_FIRST.indexOf(type);
  return place < 0 ? OUTERMOST_FIRST.length : place;
};

const BLOCKS = new Set(['blockquote', 'expandable_blockquote', 'pre']);

/** Addresses and tags that a network detects in plain text. */
const DETECTED =
  /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}»”’]|(?<![\w@])@[a-z]\w{3,31}\b|(?<![\w#&])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*/giu;

/**
 * Renders a text with its entities as HTML: escaped, properly nested (overlapping entities are split), with detected addresses,
 * names and tags. Offsets count UTF-16 code units; entities outside the text are left out.
 */
export const renderFormattedText = (text: string, entities: readonly LedgerEntity[]): string => {
  const all = [...entities, ...detectEntities(text, entities)]
    .map((entity): Span => ({ ...locate(entity, text), tags: tagsOf(entity, text) }))
    .filter(({ start, end }) => start >= 0 && start < end)
    .sort((a, b) => a.start - b.start || b.end - a.end || rank(a.type) - rank(b.type));
  const borders = [...new Set([0, text.length, ...all.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );

  let html = '';
  let open: Span[] = [];
  for (const [index, start] of borders.entries()) {
    const end = borders[index + 1] ?? start;
    const wanted = all.filter((span) => span.start <= start && span.end > start);
    const shared = open.findIndex((span, depth) => span !== wanted[depth]);
    const kept = shared < 0 ? open.length : shared;
    const closing = open.slice(kept).reverse();
    html += closing.map(({ tags }) => tags[1]).join('');
    html += wanted
      .slice(kept)
      .map(({ tags }) => tags[0])
      .join('');
    // A block element ends its line: a line feed after it would show as an empty line.
    const skip = closing.some(({ type }) => BLOCKS.has(type)) && text[start] === '\n' ? 1 : 0;
    html += escapeHtml(text.slice(start + skip, end));
    open = wanted;
  }
  return html;
};

/** A range of the text with its tags. */
interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly tags: readonly [open: string, close: string];
}

const locate = ({ type, offset, length }: LedgerEntity, text: string): Omit<Span, 'tags'> => ({
  type,
  start: offset,
  end: Math.min(offset + length, text.length),
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

const TAGS: Readonly<Record<string, Span['tags']>> = {
  bold: ['<b>', '</b>'],
  italic: ['<i>', '</i>'],
  underline: ['<u>', '</u>'],
  strikethrough: ['<s>', '</s>'],
  spoiler: ['<span class="spoiler" tabindex="0" title="Hidden: click to see">', '</span>'],
  code: ['<code>', '</code>'],
  blockquote: ['<blockquote>', '</blockquote>'],
  expandable_blockquote: ['<blockquote class="expandable" tabindex="0">', '</blockquote>'],
  hashtag: ['<span class="tag">', '</span>'],
  mention: ['<span class="tag">', '</span>'],
};
const NO_TAGS: Span['tags'] = ['<span>', '</span>'];

const tagsOf = (entity: LedgerEntity, text: string): Span['tags'] => {
  const { type, offset, length, language, url } = entity;
  if (type === 'pre') {
    const name = typeof language === 'string' && language ? ` data-language="${escapeHtml(language)}"` : '';
    return [`<pre${name}><code>`, '</code></pre>'];
  }
  if (type === 'text_link' || type === 'url') {
    const href = safeHref(typeof url === 'string' ? url : text.slice(offset, offset + length));
    return href ? [`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">`, '</a>'] : NO_TAGS;
  }
  return Object.hasOwn(TAGS, type) ? TAGS[type]! : NO_TAGS;
};
