import type { FormattedText, Mark, MarkType, Pending } from './marks.js';
import { lineStarts, normalise } from './normalise.js';
import { covers, subtract } from './ranges.js';

/** Empty text. */
export const NO_TEXT: FormattedText = { text: '', marks: [] };

/**
 * Replaces a range with plain text. The new text inherits the formatting of the first replaced character or, if nothing
 * is replaced, of the character before it. Text inserted at either end of a link stays outside the link.
 */
export const replaceText = (
  { text, marks }: FormattedText,
  start: number,
  end: number,
  replacement: string,
  pending: Pending = {},
): FormattedText => {
  const inserted = replacement.replace(/\r\n?/g, '\n').replace(/\p{Surrogate}/gu, '\ufffd');
  const shift = inserted.length - (end - start);
  const kept = marks.flatMap((mark): Mark[] => [
    { ...mark, end: Math.min(mark.end, start) },
    { ...mark, start: Math.max(mark.start, end) + shift, end: mark.end + shift },
  ]);
  const inherited = marks.filter((mark) => pending[mark.type] !== false && passesOn(mark, start, end));
  const forced = (Object.keys(pending) as MarkType[]).filter(
    (type) => pending[type] === true && !inherited.some((mark) => mark.type === type),
  );
  const added = [...inherited, ...forced.map((type) => ({ type }))].map((mark): Mark => ({
    ...mark,
    start,
    end: start + inserted.length,
  }));
  return normalise(text.slice(0, start) + inserted + text.slice(end), [...kept.filter(isNotEmpty), ...added]);
};

const isNotEmpty = ({ start, end }: Mark): boolean => start < end;

/** Returns whether text that replaces a range inherits a mark. */
const passesOn = (mark: Mark, start: number, end: number): boolean => {
  if (start < end) return mark.start <= start && start < mark.end;
  if (mark.type === 'link') return mark.start < start && start < mark.end;
  // A quote applies from the start of its first line.
  return mark.start < start ? start <= mark.end : mark.type === 'quote' && mark.start === start;
};

/**
 * Returns the types of formatting that cover the whole range. For a caret (an empty range), returns the formatting that
 * newly typed text would get.
 */
export const activeTypes = (
  { text, marks }: FormattedText,
  start: number,
  end: number,
  pending: Pending = {},
): ReadonlySet<MarkType> => {
  const types = new Set(marks.map(({ type }) => type));
  const active = [...types].filter((type) =>
    start === end
      ? marks.some((mark) => mark.type === type && passesOn(mark, start, end))
      : hasAll(text, marks, start, end, type),
  );
  const forced = (Object.keys(pending) as MarkType[]).filter((type) => pending[type] === true);
  return new Set([...active.filter((type) => pending[type] !== false), ...forced]);
};

/**
 * Returns whether the whole range has a type of formatting. Ignores line feeds and, unless the type is a quote, code,
 * which cannot have styles.
 */
const hasAll = (text: string, marks: readonly Mark[], start: number, end: number, type: MarkType): boolean => {
  const counting = marks.filter((mark) => mark.type === type || (mark.type === 'code' && type !== 'quote'));
  if (!counting.some((mark) => mark.type === type && mark.start < end && start < mark.end)) return false;
  for (let at = start; at < end; at++) {
    if (text[at] !== '\n' && !covers(counting, at)) return false;
  }
  return true;
};

/**
 * Applies a type of formatting to a range, or removes it if the whole range already has it. Quotes apply to whole
 * lines.
 */
export const toggleMark = (
  value: FormattedText,
  start: number,
  end: number,
  type: Exclude<MarkType, 'link'>,
): FormattedText => {
  const { text, marks } = value;
  const range = type === 'quote' ? toWholeLines(text, start, end) : { start, end };
  const isOn = hasAll(text, marks, range.start, range.end, type);
  if (!isOn) return normalise(text, [...marks, { type, ...range }]);
  // Also unquotes the line feeds around the lines; otherwise an empty line would stay quoted.
  const taken = type === 'quote' ? { start: range.start - 1, end: range.end + 1 } : range;
  return normalise(
    text,
    marks.flatMap((mark) => (mark.type === type ? subtract(mark, [taken]) : [mark])),
  );
};

/** Ends a quote at the caret; null unless the caret is on an empty line of a quote. */
export const leaveQuote = ({ text, marks }: FormattedText, caret: number): FormattedText | null => {
  const { start, end } = toWholeLines(text, caret, caret);
  if (start < end || !marks.some((mark) => mark.type === 'quote' && passesOn(mark, caret, caret))) return null;
  return normalise(
    text,
    marks.flatMap((mark) => (mark.type === 'quote' ? subtract(mark, [{ start: start - 1, end: end + 1 }]) : [mark])),
  );
};

/** Links a range, replacing existing links. A null `url` removes them. */
export const setLink = (
  { text, marks }: FormattedText,
  start: number,
  end: number,
  url: string | null,
): FormattedText => {
  const others = marks.filter((mark) => mark.type !== 'link' || mark.end <= start || mark.start >= end);
  return normalise(text, url === null ? others : [...others, { type: 'link', start, end, url }]);
};

/** Returns the link at a caret or in a range; undefined if there is none. */
export const findLink = ({ marks }: FormattedText, start: number, end: number): Mark | undefined =>
  marks.find((mark) => mark.type === 'link' && mark.start <= end && start <= mark.end);

const toWholeLines = (text: string, start: number, end: number): { start: number; end: number } => {
  const starts = lineStarts(text);
  const next = starts.find((at) => at > Math.max(start, end - 1));
  return { start: starts.findLast((at) => at <= start) ?? 0, end: next === undefined ? text.length : next - 1 };
};
