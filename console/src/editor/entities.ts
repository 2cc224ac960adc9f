import type { Api } from '../api/management.js';
import { cutAt, type FormattedText, type Mark, type MarkType, normalise, STYLES } from './formatted-text.js';

const MARK_TYPES: Readonly<Partial<Record<Entity['type'], MarkType>>> = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'strikethrough',
  spoiler: 'spoiler',
  code: 'code',
  pre: 'code',
  text_link: 'link',
  blockquote: 'quote',
  expandable_blockquote: 'quote',
};

/** Entity types that networks detect in text on their own. */
const FOUND: ReadonlySet<Entity['type']> = new Set(['mention', 'url', 'email', 'phone_number', 'hashtag']);

/**
 * Converts a payload's text to the editor's format. Formatting that the editor does not support is omitted (see
 * {@link isEditable}).
 */
export const fromEntities = (text: string, entities: readonly Entity[] = []): FormattedText =>
  normalise(
    text,
    entities.flatMap(({ type, offset, length, url }): Mark[] => {
      const markType = MARK_TYPES[type];
      if (!markType || (markType === 'link' && url === undefined)) return [];
      return [{ type: markType, start: offset, end: offset + length, ...(markType === 'link' && { url: url! }) }];
    }),
  );

/** Returns whether the text can be edited without losing formatting. */
export const isEditable = (entities: readonly Entity[] = []): boolean =>
  entities.every(
    ({ type, language }) =>
      FOUND.has(type) || (MARK_TYPES[type] !== undefined && type !== 'expandable_blockquote' && language === undefined),
  );

/** Formatting, as represented in payloads. */
export type Entity = Api<'Entity'>;

const ENTITY_TYPES: Readonly<Record<MarkType, Entity['type']>> = {
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'strikethrough',
  spoiler: 'spoiler',
  code: 'code',
  link: 'text_link',
  quote: 'blockquote',
};

/**
 * Returns the entities of formatted text. Entities must nest, so overlapping marks are split: links and code at the
 * boundaries of quotes, styles at the boundaries of anything that they would cross. Multi-line code becomes a block.
 */
export const toEntities = ({ text, marks }: FormattedText): readonly Entity[] => {
  const of = (type: MarkType): Mark[] => marks.filter((mark) => mark.type === type);
  const quotes = of('quote').map((quote) => ({ ...quote, end: endOfWords(text, quote) }));
  const placed: Mark[] = quotes.filter(({ start, end }) => start < end);
  const borders = placed.flatMap(({ start, end }) => [start, end]);
  placed.push(...[...of('link'), ...of('code')].flatMap((mark) => cutAt(mark, borders)));
  for (const style of STYLES.flatMap(of)) placed.push(...cutAt(style, crossed(style, placed)));
  return placed
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map(({ type, start, end, url }) => ({
      type: type === 'code' && text.slice(start, end).includes('\n') ? 'pre' : ENTITY_TYPES[type],
      offset: start,
      length: end - start,
      ...(url !== undefined && { url }),
    }));
};

/** Returns the end of a quote, excluding trailing whitespace and empty lines, which readers need not see. */
const endOfWords = (text: string, { start, end }: Mark): number => start + text.slice(start, end).trimEnd().length;

/** Returns the boundaries of the placed marks that a mark partly overlaps. */
const crossed = (mark: Mark, placed: readonly Mark[]): number[] =>
  placed.flatMap(({ start, end }) => {
    if (end <= mark.start || mark.end <= start) return [];
    const isInside = mark.start <= start && end <= mark.end;
    const isAround = start <= mark.start && mark.end <= end;
    return isInside || isAround ? [] : [start, end];
  });
