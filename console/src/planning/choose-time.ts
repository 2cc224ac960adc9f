import { addDays, type Day, findInstants, isDay, type LocalTime, toLocal, weekdayOf } from '../time/local-time.js';

/** A local time chosen for a post, as entered in the form's fields. */
export interface ChosenTime extends LocalTime {
  /** If the clock shows the time twice: true for the second of the two instants. */
  readonly isSecond: boolean;
}

/** The instant of a chosen time, or the problem with it. */
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

/** Reads the fields of a time. @param now ms since 1970 */
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

/** Returns the instant of a chosen time, even if it has passed; null if there is none. */
export const chosenInstant = (value: ChosenTime, zone: string): number | null => {
  const read = readTime(value, zone, -Infinity);
  return 'at' in read ? read.at : null;
};

/** Converts an instant to the fields of a form. */
export const chooseInstant = (at: number, zone: string): ChosenTime => {
  const local = toLocal(at, zone);
  const found = findInstants(local, zone);
  return { ...local, isSecond: found.kind === 'twice' && at >= found.second };
};

/** A suggested time, which saves people from filling in the fields. */
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

/** Returns the initial time of a form: the first full hour that is at least an hour away. */
export const suggestTime = (now: number, zone: string): ChosenTime =>
  chooseInstant(Math.ceil((now + HOUR_MS) / HOUR_MS) * HOUR_MS, zone);

/** Returns a time on a day chosen in the calendar; if the time has passed, the suggested time ({@link suggestTime}). */
export const chooseTimeOn = (day: Day, time: string, zone: string, now: number): ChosenTime => {
  const chosen = { day, time, isSecond: false };
  return readTime(chosen, zone, now).problem === 'past' ? suggestTime(now, zone) : chosen;
};
