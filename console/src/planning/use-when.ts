import { type Format, format } from '../i18n/format.js';
import { addDays, browserZone, type Day, findInstants, offsetName, toLocal } from '../time/local-time.js';
import { serverNow } from '../time/server-clock.js';

/** Returns the time of day of an instant, with the UTC offset if that time occurs twice on the day: `02:30 (UTC+1)`. */
export const timeOfDay = (format: Format, at: number, zone = browserZone()): string => {
  const time = format.time(at);
  return findInstants(toLocal(at, zone), zone).kind === 'twice' ? `${time} (${offsetName(at, zone)})` : time;
};

/** Formats the full day and time at which a post goes out: `Fri 27 November, 09:00`. */
export const formatWhen = (at: number | string): string =>
  `${format.longDay(at)}, ${timeOfDay(format, typeof at === 'number' ? at : Date.parse(at))}`;

/**
 * Returns the search parameters for showing a time in the calendar: none if it is in the next seven days, which are
 * shown by default; otherwise the day of the time, so that the week starts there.
 */
export const weekWith = (at: string, zone = browserZone(), now = serverNow()): { readonly from?: Day } => {
  const { day } = toLocal(Date.parse(at), zone);
  const today = toLocal(now, zone).day;
  return day >= today && day < addDays(today, 7) ? {} : { from: day };
};
