import { type ChosenTime, readTime } from '../../planning/choose-time.js';
import { type Day, toLocal } from '../../time/local-time.js';

/** The effect of dropping a post on a day, or on an hour of it. */
export type Drop =
  | { readonly kind: 'same' }
  | { readonly kind: 'move'; readonly at: number }
  /** `time`: the time of day that has passed. */
  | { readonly kind: 'past'; readonly time: string }
  /**
   * The clock shows the time twice or never on that day, it has passed today, or is too far ahead: the person must
   * decide.
   */
  | { readonly kind: 'ask'; readonly wanted: ChosenTime };

/**
 * Returns the time of day of a dropped post. On an hour, it keeps its minutes; on a day, its time of day.
 * @param time its time of day, `14:20` @param hour from 0 to 23; null if the post is dropped on the day as a whole
 */
export const timeOfDrop = (time: string, hour: number | null): string =>
  hour === null ? time : `${String(hour).padStart(2, '0')}${time.slice(2)}`;

/**
 * Returns the effect of dropping a post.
 * @param at the time of the post, ms since 1970
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
