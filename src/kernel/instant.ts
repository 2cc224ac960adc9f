/** A moment: whole milliseconds since 1970-01-01T00:00:00Z. A plain number, so that it can stand in an event. */
export type Instant = number;

/** The instant as the API writes it: ISO 8601, UTC, milliseconds (management-api.md: Manners). */
export const iso = (at: Instant): string => new Date(at).toISOString();

/** {@link iso}, or null where there is no such moment. */
export const isoOrNull = (at: Instant | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at);
