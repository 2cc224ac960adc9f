/** A calendar day, such as `2026-03-29`. Days can be compared as strings. */
export type Day = string;

/** A local time in some time zone. */
export interface LocalTime {
  readonly day: Day;
  /** `02:30` */
  readonly time: string;
}

/** The instants, in ms since 1970, that correspond to a local time in a time zone. */
export type Instants =
  | { readonly kind: 'once'; readonly at: number }
  /** The clocks go back over this time, so it occurs twice: in summer time and again after the change. */
  | { readonly kind: 'twice'; readonly first: number; readonly second: number }
  /** The clocks skip this time, so it never occurs. `next` is the first instant after the change. */
  | { readonly kind: 'never'; readonly next: number };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns the browser's time zone: `Europe/Berlin`. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  let formatter = formatters.get(zone);
  if (!formatter) {
    const figures = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...figures });
    formatters.set(zone, formatter);
  }
  return formatter;
};

/** Returns the local time of an instant, in whole minutes. */
export const toLocal = (at: number, zone: string): LocalTime => {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(at)) parts[type] = value;
  const { year = '', month = '', day = '', hour = '', minute = '' } = parts;
  return { day: `${year.padStart(4, '0')}-${month}-${day}`, time: `${hour}:${minute}` };
};

/** Returns the local time as if it were UTC, in ms since 1970. */
const asUtc = ({ day, time }: LocalTime): number => Date.parse(`${day}T${time}:00Z`);

/** Returns how far a time zone is ahead of UTC at an instant, in ms. */
export const offsetAt = (at: number, zone: string): number => {
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return asUtc(toLocal(minute, zone)) - minute;
};

/** Finds the instants that correspond to a local time: usually one, but none or two around a clock change. */
export const findInstants = (local: LocalTime, zone: string): Instants => {
  const utc = asUtc(local);
  const before = offsetAt(utc - DAY_MS, zone);
  const after = offsetAt(utc + DAY_MS, zone);
  const found = [...new Set([utc - before, utc - after])]
    .filter((at) => offsetAt(at, zone) === utc - at)
    .sort((a, b) => a - b);
  const [first, second] = found;
  if (first === undefined) return { kind: 'never', next: findChange(utc - DAY_MS, utc + DAY_MS, zone) };
  return second === undefined ? { kind: 'once', at: first } : { kind: 'twice', first, second };
};

/** Finds the instant within a range at which a time zone's offset changes. */
const findChange = (from: number, to: number, zone: string): number => {
  const offset = offsetAt(from, zone);
  let [low, high] = [from / MINUTE_MS, to / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE_MS, zone) === offset) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
};

/**
 * Returns the first instant that corresponds to a local time; if the clocks skip that time, the first instant after the
 * change.
 */
export const firstInstant = (local: LocalTime, zone: string): number => {
  const found = findInstants(local, zone);
  if (found.kind === 'once') return found.at;
  return found.kind === 'twice' ? found.first : found.next;
};

/** Returns the instant at which a day begins; not always midnight. */
export const startOfDay = (day: Day, zone: string): number => firstInstant({ day, time: '00:00' }, zone);

/** Adds a number of days to a day; a negative number goes back. */
export const addDays = (day: Day, days: number): Day =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns whether a string is a valid calendar day; `2026-02-31` is not. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;

/** Returns the length of a day in ms: 24 hours, unless the clocks change. */
export const lengthOfDay = (day: Day, zone: string): number =>
  startOfDay(addDays(day, 1), zone) - startOfDay(day, zone);

/** Returns the day of the week, from 0 for Monday. */
export const weekdayOf = (day: Day): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

/**
 * Returns a time zone's name for people, by its city: `Moscow`. In Russian, the name that the browser knows: `Москва`,
 * `Центральная Европа`, or that of UTC where it knows none.
 */
export const zoneTitle = (zone: string, locale: string): string => {
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  if (locale === 'en' || city === 'UTC') return city;
  // The names of cities are not in every browser, those of zones are.
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'long' }).formatToParts();
  const title = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const name = title.replace(/, (стандартное|летнее) время$/, '').replace(/ (стандартное|летнее) (время)$/, ' $2');
  return /^[^A-Za-z]+$/.test(name) ? name : 'UTC';
};

/** Returns the UTC offset of a time zone as text: `UTC+2`, `UTC−3:30`. */
export const offsetName = (at: number, zone: string): string => {
  const minutes = offsetAt(at, zone) / MINUTE_MS;
  const size = Math.abs(minutes);
  const rest = size % 60;
  const hours = `${Math.floor(size / 60)}${rest > 0 ? `:${String(rest).padStart(2, '0')}` : ''}`;
  return `UTC${minutes < 0 ? '−' : '+'}${hours}`;
};
