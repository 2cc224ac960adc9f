import { addDays, type Day, findInstants, isDay, type LocalTime, toLocal, weekdayOf } from '../time/local-time.js';

/** A local time chosen for a post, as entered in the form's fields. */
export interface ChosenTime extends LocalTime {
  /** True to choose the second instant if the time occurs twice, because the clocks go back. */
  readonly isSecond: boolean;
}

/** The instant that a chosen time stands for, or the problem with the time. */
export type ReadTime =
  | { readonly problem: null; readonly at: number; readonly isTwice: boolean }
  /** `missing`: a field is empty or incomplete. `past`, `tooFar`: the gateway would reject the time. */
  | { readonly problem: 'missing' | 'past' | 'tooFar'; readonly isTwice: boolean }
  /** The clock skips the time. `next` is the first instant after the change. */
  | { readonly problem: 'skipped'; readonly isTwice: false; readonly next: number };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many days ahead the gateway accepts planned posts. */
const MAX_DAYS = 366;

/** Parses the time fields. @param now ms since 1970 */
export const readTime = ({ day, time, isSecond }: ChosenTime, zone: string, now: number): ReadTime => {
  const isTime = /^\d\d:\d\d/.test(time);
  if (!isTime || !isDay(day)) return { problem: 'missing', isTwice: false };
  const found = findInstants({ day, time: time.slice(0, 5) }, zone);
  if (found.kind === 'never') return { problem: 'skipped', isTwice: false, next: found.next };
  const isTwice = found.kind === 'twice';
  const at = found.kind === 'once' ? found.at : isSecond ? found.second : found.first;
  if (at <= now) return { problem: 'past', isTwice };
  if (Number.isFinite(now) && at > now + MAX_DAYS * DAY_MS) return { problem: 'tooFar', isTwice };
  return { problem: null, at, isTwice };
};

/**
 * Converts a chosen time to an instant, even if it is in the past; null if the time is incomplete or does not exist.
 */
export const chosenInstant = (value: ChosenTime, zone: string): number | null => {
  const read = readTime(value, zone, -Infinity);
  return 'at' in read ? read.at : null;
};

/** Converts an instant to form fields. */
export const chooseInstant = (at: number, zone: string): ChosenTime => {
  const local = toLocal(at, zone);
  const found = findInstants(local, zone);
  return { ...local, isSecond: found.kind === 'twice' && at >= found.second };
};

/** A suggested time that users can pick instead of filling in the fields. */
export interface OfferedTime extends LocalTime {
  readonly name: 'today' | 'tomorrow' | 'monday';
}

/**
 * Returns times to suggest: this evening (if it is not yet 17:30), tomorrow morning, and next Monday morning (unless
 * that is tomorrow).
 */
export const offerTimes = (now: number, zone: string): readonly OfferedTime[] => {
  const today = toLocal(now, zone);
  const offered: OfferedTime[] = [];
  if (today.time < '17:30') offered.push({ name: 'today', day: today.day, time: '18:00' });
  const tomorrow = addDays(today.day, 1);
  offered.push({ name: 'tomorrow', day: tomorrow, time: '09:00' });
  const monday = nextMonday(today.day);
  if (monday !== tomorrow) offered.push({ name: 'monday', day: monday, time: '09:00' });
  return offered;
};

const nextMonday = (day: Day): Day => addDays(day, 7 - weekdayOf(day));

/** Returns the default time for a form: the first full hour that is at least an hour away. */
export const suggestTime = (now: number, zone: string): ChosenTime =>
  chooseInstant(Math.ceil((now + HOUR_MS) / HOUR_MS) * HOUR_MS, zone);

/**
 * Returns the given time on a day chosen in the calendar or, if it has passed, the default time ({@link suggestTime}).
 */
export const chooseTimeOn = (day: Day, time: string, zone: string, now: number): ChosenTime => {
  const chosen = { day, time, isSecond: false };
  return readTime(chosen, zone, now).problem === 'past' ? suggestTime(now, zone) : chosen;
};
