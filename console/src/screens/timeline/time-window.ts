import type { Span } from './search.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time spans of the lanes and intervals between axis labels, in ms. */
const SPAN_LENGTHS: Readonly<Record<Span, { readonly length: number; readonly tick: number }>> = {
  '15min': { length: 15 * MINUTE, tick: 2 * MINUTE },
  '2h': { length: 2 * HOUR, tick: 15 * MINUTE },
  day: { length: DAY, tick: 3 * HOUR },
  week: { length: 7 * DAY, tick: DAY },
};

/** The period that the lanes show, in ms since 1970, centred on now or on the time that the user jumped to. */
export interface TimeWindow {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly middle: number;
}

/** Returns the window of a given length around a time. */
export const timeWindow = (span: Span, middle: number): TimeWindow => {
  const { length } = SPAN_LENGTHS[span];
  return { span, length, middle, from: middle - length / 2, to: middle + length / 2 };
};

/** Returns how often the window must be recomputed, in ms. In between, the lanes are only shifted. */
export const windowStep = (span: Span): number => SPAN_LENGTHS[span].length / 120;

/** Returns the position of a time in a window, as a percentage; below 0 or above 100 outside the window. */
export const placeOf = (at: number, { from, length }: TimeWindow): number => ((at - from) / length) * 100;

/** Returns the times of the axis labels in a window, at regular intervals from the start of each local day. */
export const axisTicks = ({ span, from, to }: TimeWindow): readonly number[] => {
  const { tick } = SPAN_LENGTHS[span];
  const ticks: number[] = [];
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  // Uses calendar days, because a day on which the clocks change has 23 or 25 hours.
  while (midnight.getTime() <= to) {
    const begin = midnight.getTime();
    midnight.setDate(midnight.getDate() + 1);
    for (let at = begin; at < midnight.getTime(); at += tick) if (at > from && at < to) ticks.push(at);
  }
  return ticks;
};
