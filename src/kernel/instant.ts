/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. A plain number, so that an event can hold it. */
export type Instant = number;

/** Formats an instant for the API: ISO 8601, UTC, milliseconds (management-api.md: Manners). */
export const iso = (at: Instant): string => new Date(at).toISOString();

/** Formats an instant like {@link iso}; null if there is none. */
export const isoOrNull = (at: Instant | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at);
