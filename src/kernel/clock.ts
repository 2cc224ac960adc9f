/** Source of the current time for code at the edges. Deciders never use a clock: the command carries the time. */
export interface Clock {
  now(): Instant;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Injection token for the length of a minute in pauses and retries, in ms (setting MINUTE_MS). */
export const MINUTE_MS = Symbol('MinuteMs');

/** Injection token for the process's {@link Clock}. */
export const CLOCK = Symbol('Clock');

/** Injection token for the {@link Clock} that decides when planned posts are due: the database's (D-79). */
export const SHARED_CLOCK = Symbol('SharedClock');

/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. A plain number, so that an event can hold it. */
export type Instant = number;

/** Returns when the month (UTC) of a time began. @param plus months to add */
export const startOfMonth = (at: Instant, plus = 0): Instant => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + plus);
};

/** Formats an instant for the API: ISO 8601, UTC, milliseconds (management-api.md: Manners). */
export const iso = (at: Instant): string => new Date(at).toISOString();

/** Formats an instant like {@link iso}; null if there is none. */
export const isoOrNull = (at: Instant | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at);

/** Returns a time in ISO 8601; null if there is none or it has passed. */
export const ifLater = (time: string | undefined, now: Instant): string | null =>
  time !== undefined && time > iso(now) ? time : null;
