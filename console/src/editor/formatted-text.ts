/** Types of formatting that the editor offers. */
export type MarkType = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'spoiler' | 'code' | 'link' | 'quote';

/** Types that can overlap each other. */
export const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'] as const;

/** A range with formatting, in UTF-16 code units; `end` is exclusive. */
export interface Mark {
  readonly type: MarkType;
  readonly start: number;
  readonly end: number;
  /** Address of a link. */
  readonly url?: string;
}

/**
 * Text with its formatting. Lines are separated by line feeds. Marks are normalised: no mark is empty or splits a
 * character; marks of the same type do not touch, except links to different addresses; quotes cover whole lines; code
 * has no other formatting except a quote around it.
 */
export interface FormattedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** Formatting toggled at the caret: the types to turn on (true) or off (false) for the text that is typed next. */
export type Pending = Readonly<Partial<Record<MarkType, boolean>>>;

/** A range of text, in UTF-16 code units; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns whether one of the ranges contains the code unit at an offset. */
export const covers = (ranges: readonly Range[], at: number): boolean =>
  ranges.some(({ start, end }) => start <= at && at < end);

/** Returns the parts of a range that no other range covers, in order. */
export const subtract = <T extends Range>(range: T, others: readonly Range[]): T[] =>
  others.reduce<T[]>(
    (parts, other) =>
      parts.flatMap((part) =>
        other.end <= part.start || part.end <= other.start
          ? [part]
          : [
              { ...part, end: other.start },
              { ...part, start: other.end },
            ].filter(({ start, end }) => start < end),
      ),
    [range],
  );

/** Cuts a range at the given offsets; ignores offsets outside the range. */
export const cutAt = <T extends Range>(range: T, places: readonly number[]): T[] => {
  const inside = [...new Set(places)].filter((at) => range.start < at && at < range.end).sort((a, b) => a - b);
  return [...inside, range.end].map((end, index) => ({ ...range, start: inside[index - 1] ?? range.start, end }));
};

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

/**
 * Replaces a range with formatted text, which keeps its own formatting and inherits only a quote around the range.
 */
export const insertFormatted = (
  value: FormattedText,
  start: number,
  end: number,
  inserted: FormattedText,
): FormattedText => {
  const plain = replaceText(value, start, end, inserted.text, NO_STYLES);
  const marks = inserted.marks.map((mark) => ({ ...mark, start: mark.start + start, end: mark.end + start }));
  return normalise(plain.text, [...plain.marks, ...marks]);
};

/** Keeps inserted text from taking on the formatting around it. */
const NO_STYLES: Pending = {
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  spoiler: false,
  code: false,
  link: false,
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

/**
 * Parses a URL as typed by a user, assuming https if it has no scheme. Returns null unless it is a valid http:, https:
 * or tg: URL.
 */
export const readUrl = (typed: string): string | null => {
  const trimmed = typed.trim();
  const url = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (trimmed === '' || !URL.canParse(url) || /\s/.test(url)) return null;
  const { protocol, hostname } = new URL(url);
  return protocol === 'tg:' || (/^https?:$/.test(protocol) && hostname !== '') ? url : null;
};
