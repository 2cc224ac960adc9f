import type { Api } from '../api/management.js';
import { type FormattedText, type Mark, type MarkType, STYLES } from './marks.js';
import { cutAt } from './ranges.js';

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
