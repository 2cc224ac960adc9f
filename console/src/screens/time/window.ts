const HOUR = 3_600_000;

/** Window lengths, in ms; `all` is the whole history. */
export const SPANS = { hour: HOUR, hours: 6 * HOUR, day: 24 * HOUR, month: 30 * 24 * HOUR, all: null } as const;
export type Span = keyof typeof SPANS;

/** Returns whether a string is the name of a window length. */
export const isSpan = (text: string | undefined): text is Span => text !== undefined && text in SPANS;

/** The visible part of the history, in ms since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Fraction of the latest window that lies in the future, so that the "now" line is not right at the edge. */
const FUTURE = 0.04;

/** The window moves in steps of 1/100 of its length, so that its edges do not shift every second. */
const STEPS = 100;

const lengthOf = (span: Span, now: number, firstAt: number | null): number =>
  SPANS[span] ?? Math.max(HOUR, now - (firstAt ?? now));

/**
 * Returns the window centred on a moment, and a wider window to fetch event counts for. The wider window stays the same
 * while the moment moves only a little.
 */
export const windowCentred = (
  at: number,
  span: Span,
  now: number,
  firstAt: number | null,
): { readonly window: TimeWindow; readonly loaded: TimeWindow } => {
  const length = lengthOf(span, now, firstAt);
  const middle = Math.round(at / (length / 4)) * (length / 4);
  return {
    window: { from: at - length / 2, to: at + length / 2 },
    loaded: { from: middle - length * 0.75, to: middle + length * 0.75 },
  };
};

/**
 * Returns the window that shows a moment: the latest window if it contains the moment, otherwise a window around it.
 */
export const windowAround = (at: number, span: Span, now: number, firstAt: number | null): TimeWindow => {
  const length = lengthOf(span, now, firstAt);
  const step = Math.max(1000, length / STEPS);
  const round = (time: number): number => Math.ceil(time / step) * step;
  const latest = { from: round(now + length * FUTURE) - length * (1 + FUTURE), to: round(now + length * FUTURE) };
  // Rounding the edges may have cut off the first event.
  if (span === 'all') return { from: Math.min(latest.from, firstAt ?? latest.from), to: latest.to };
  if (at >= latest.from) return latest;
  const middle = round(at);
  return { from: middle - length / 2, to: middle + length / 2 };
};

/** Returns whether a moment is in a window. */
export const isInside = ({ from, to }: TimeWindow, at: number): boolean => at >= from && at <= to;

/** Returns whether a period overlaps a window. @param end null if the period has not ended */
export const meets = ({ from, to }: TimeWindow, start: number, end: number | null): boolean =>
  start <= to && (end === null || end >= from);

/** Returns the position of a moment in a window, as a percentage from 0 to 100. */
export const percentOf = ({ from, to }: TimeWindow, at: number): number =>
  Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));

/** Possible distances between the marks on an axis, in ms. */
const MARKS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 20_160, 43_200, 129_600].map(
  (minutes) => minutes * 60_000,
);

/** Returns the axis marks, at round local times. @param most maximum number of marks */
export const axisMarks = ({ from, to }: TimeWindow, most = 8): readonly number[] => {
  const distance = MARKS.find((each) => (to - from) / each <= most) ?? MARKS.at(-1)!;
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / distance) * distance + offset;
  return Array.from({ length: Math.floor((to - first) / distance) + 1 }, (_, index) => first + index * distance);
};
