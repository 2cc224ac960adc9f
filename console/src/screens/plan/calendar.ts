import type { PlanSearch } from '../../app/search.js';
import { type ChosenTime, readTime } from '../../planning/choose-time.js';
import type { Post } from '../../publications/shown-state.js';
import { addDays, type Day, findInstants, startOfDay, toLocal, weekdayOf } from '../../time/local-time.js';

/** How much of the calendar the screen shows. */
export type View = 'week' | 'month';

/** The days of a view, and the start and end of the period in ms since 1970. */
export interface Period {
  readonly days: readonly Day[];
  readonly from: number;
  readonly to: number;
}

/** Returns the first day of the month that is `months` months after the given day's month. */
const addMonths = (day: Day, months: number): Day => {
  const count = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months;
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}-01`;
};

/** Returns the days of a view: seven days from `first`, or the full weeks, starting on Monday, that cover its month. */
export const daysOf = (view: View, first: Day): readonly Day[] => {
  if (view === 'week') return Array.from({ length: 7 }, (_, index) => addDays(first, index));
  const month = addMonths(first, 0);
  const start = addDays(month, -weekdayOf(month));
  const last = addDays(addMonths(first, 1), -1);
  const days: Day[] = [];
  for (let day = start; day <= last || days.length % 7 > 0; day = addDays(day, 1)) days.push(day);
  return days;
};

/** Returns the days of a view, and the start and end of the period. */
export const periodOf = (view: View, first: Day, zone: string): Period => {
  const days = daysOf(view, first);
  const [begin = first] = days;
  return { days, from: startOfDay(begin, zone), to: startOfDay(addDays(days.at(-1) ?? first, 1), zone) };
};

/** Returns the first day of the next week or month (1), or of the previous one (-1). */
export const step = (view: View, first: Day, by: 1 | -1): Day =>
  view === 'week' ? addDays(first, 7 * by) : addMonths(first, by);

/** Returns whether a day is in the shown month. The view's first and last weeks may include days of adjacent months. */
export const isInMonth = (day: Day, first: Day): boolean => day.slice(0, 7) === first.slice(0, 7);

/** An hour of a day, as the clock shows it. */
export interface Hour {
  /** From 0 to 23. */
  readonly hour: number;
  /** Whether the clock skips the whole hour on this day, or repeats all or part of it; null if neither. */
  readonly change: 'skipped' | 'repeated' | null;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Returns whether the clock skips a whole hour of a day, or repeats all or part of it; null if neither. */
export const changeOf = (day: Day, hour: number, zone: string): Hour['change'] => {
  const kinds = ['00', '30', '59'].map(
    (minute) => findInstants({ day, time: `${twoDigits(hour)}:${minute}` }, zone).kind,
  );
  if (kinds.every((kind) => kind === 'never')) return 'skipped';
  return kinds.includes('twice') ? 'repeated' : null;
};

/** Consecutive hours that are either all collapsed or all shown in full. */
export interface HourRun {
  /** First hour, and the hour after the last. */
  readonly from: number;
  readonly to: number;
  /** True if the hours are collapsed into one line. */
  readonly isFolded: boolean;
}

/** Only empty hours before `MORNING` are collapsed, and only in runs of at least `LEAST_FOLDED` hours. */
const MORNING = 7;
const LEAST_FOLDED = 3;

/** Divides the hours of a day into runs, in order. Collapses empty hours in the early morning. */
export const foldHours = (isQuiet: (hour: number) => boolean): readonly HourRun[] => {
  const runs: HourRun[] = [];
  const add = (from: number, to: number, isFolded: boolean): void => {
    if (to > from) runs.push({ from, to, isFolded });
  };
  let start = 0;
  for (let hour = 0; hour < MORNING; hour++) {
    let end = hour;
    while (end < MORNING && isQuiet(end)) end++;
    if (end - hour < LEAST_FOLDED) continue;
    add(start, hour, false);
    add(hour, end, true);
    start = end;
    hour = end;
  }
  add(start, 24, false);
  return runs;
};

/** Returns the time at which the calendar shows a post, in ms since 1970. */
export const timeOf = (post: Pick<Post, 'publish_at' | 'released_at' | 'accepted_at'>): number =>
  Date.parse(post.publish_at ?? post.released_at ?? post.accepted_at);

/** Returns the posts sorted by time, with the post that is being moved already at its new time. */
export const withMoved = (
  posts: readonly Post[],
  moving: { readonly id: string; readonly at: number } | null,
): readonly Post[] =>
  moving === null
    ? posts
    : posts
        .map((post) => (post.id === moving.id ? { ...post, publish_at: new Date(moving.at).toISOString() } : post))
        .sort((a, b) => timeOf(a) - timeOf(b));

/** Groups items by the local day and hour of their time. Keys look like `2026-03-29 14`; see {@link cellKey}. */
export const groupByHour = <T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  zone: string,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const { day, time } = toLocal(timeOf(item), zone);
    const key = cellKey(day, Number(time.slice(0, 2)));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

/** Returns the {@link groupByHour} key for an hour of a day. */
export const cellKey = (day: Day, hour: number): string => `${day} ${hour}`;

/** Returns a function that changes the URL's search to the week from a day on, and keeps the filters. */
export const weekFrom =
  (day: Day) =>
  ({ view: _view, ...filters }: PlanSearch): PlanSearch => ({ ...filters, from: day });

/** Groups items by the local day of their time. */
export const groupByDay = <T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  zone: string,
): ReadonlyMap<Day, readonly T[]> => {
  const groups = new Map<Day, T[]>();
  for (const item of items) {
    const { day } = toLocal(timeOf(item), zone);
    const group = groups.get(day);
    if (group) group.push(item);
    else groups.set(day, [item]);
  }
  return groups;
};

/** The effect of dropping a post on a day or on an hour. */
export type Drop =
  | { readonly kind: 'same' }
  | { readonly kind: 'move'; readonly at: number }
  /** The post was dropped on a time that has passed. `time` is that time of day. */
  | { readonly kind: 'past'; readonly time: string }
  /**
   * The user must choose a time: the time occurs twice or never on that day, or it is too far ahead, or the day is
   * today and the time has passed.
   */
  | { readonly kind: 'ask'; readonly wanted: ChosenTime };

/**
 * Returns the new time of day of a dropped post. Dropped on an hour, the post keeps its minutes; dropped on a day, it
 * keeps its time.
 * @param time the post's current time of day: `14:20`
 * @param hour from 0 to 23; null if the post is dropped on the day as a whole
 */
export const timeOfDrop = (time: string, hour: number | null): string =>
  hour === null ? time : `${String(hour).padStart(2, '0')}${time.slice(2)}`;

/**
 * Returns the effect of dropping a post.
 * @param at the post's current time, in ms since 1970
 * @param hour from 0 to 23; null if the post was dropped on the day as a whole
 */
export const readDrop = (at: number, day: Day, hour: number | null, zone: string, now: number): Drop => {
  const before = toLocal(at, zone);
  const time = timeOfDrop(before.time, hour);
  if (day === before.day && time === before.time) return { kind: 'same' };
  const wanted = { day, time, isSecond: false };
  const read = readTime(wanted, zone, now);
  const isLater = hour === null && day === toLocal(now, zone).day; // today still has later times
  if (read.problem === 'past' && !isLater) return { kind: 'past', time };
  return read.problem === null && !read.isTwice ? { kind: 'move', at: read.at } : { kind: 'ask', wanted };
};
