import { type FormattedText, type Mark, STYLES } from './marks.js';
import { subtract } from './ranges.js';

/** Normalises marks (see {@link FormattedText}). Where links overlap, the last one wins. */
export const normalise = (text: string, marks: readonly Mark[]): FormattedText => {
  const sound = marks
    .map((mark) => ({ ...mark, start: wholeStart(text, mark.start), end: wholeEnd(text, mark.end) }))
    .filter(({ start, end }) => start < end);
  const of = (type: Mark['type']): Mark[] => sound.filter((mark) => mark.type === type);
  const quotes = quoteWholeLines(text, of('quote'));
  const code = join(of('code'));
  const links = of('link').flatMap((link, index, all) => subtract(link, [...code, ...all.slice(index + 1)]));
  const styles = STYLES.flatMap((type) => join(of(type)).flatMap((style) => subtract(style, code)));
  return { text, marks: [...quotes, ...styles, ...join(links), ...code] };
};

/** Returns the offsets at which lines start. */
export const lineStarts = (text: string): number[] => [
  0,
  ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1),
];

/** Moves the start of a range out of a surrogate pair, and keeps it inside the text. */
const wholeStart = (text: string, at: number): number => (splitsCharacter(text, at) ? at - 1 : Math.max(0, at));
const wholeEnd = (text: string, at: number): number => (splitsCharacter(text, at) ? at + 1 : Math.min(at, text.length));

const splitsCharacter = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));

/** Joins marks of the same type that touch or overlap; links are joined only if they have the same address. */
const join = (marks: readonly Mark[]): Mark[] => {
  const joined: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && mark.start <= last.end && mark.url === last.url) {
      joined[joined.length - 1] = { ...last, end: Math.max(last.end, mark.end) };
    } else joined.push(mark);
  }
  return joined;
};

/**
 * Extends quotes to whole lines: a line is quoted if its first code unit is in a quote. An empty line is quoted if the
 * quote continues to it, so that a quote can be extended.
 */
const quoteWholeLines = (text: string, quotes: readonly Mark[]): Mark[] => {
  const starts = lineStarts(text);
  const whole: Mark[] = [];
  starts.forEach((start, line) => {
    const end = (starts[line + 1] ?? text.length + 1) - 1;
    const isQuoted = quotes.some((quote) =>
      start === end ? quote.start <= start && start <= quote.end : quote.start <= start && start < quote.end,
    );
    const last = whole.at(-1);
    if (isQuoted && last && last.end === start - 1) whole[whole.length - 1] = { ...last, end };
    else if (isQuoted) whole.push({ type: 'quote', start, end });
  });
  return whole.filter(({ start, end }) => start < end);
};
