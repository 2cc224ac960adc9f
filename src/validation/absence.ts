/** What was sent, or undefined for null, which counts as absent everywhere (D-43). */
export const given = (value: unknown): unknown => value ?? undefined;

/** What was sent, or undefined for null and an empty text, where that counts as absent (D-43). */
export const filledText = (value: unknown): unknown => (value === '' ? undefined : given(value));

/** What was sent, or undefined for null and an empty list, where that counts as absent (D-43). */
export const filledList = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : given(value);

/** What was sent, or undefined where it is rows without a single button, which are as empty as no rows. */
export const filledRows = (value: unknown): unknown =>
  Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 0) ? undefined : given(value);
