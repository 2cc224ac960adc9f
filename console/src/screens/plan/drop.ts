import { type ChosenTime, readTime } from '../../planning/choose-time.js';
import { type Day, toLocal } from '../../time/local-time.js';

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
