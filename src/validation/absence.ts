/** Returns the value unchanged, for fields where null is a value. */
export const asSent = (value: unknown): unknown => value;

/** Returns the value, or undefined for null, which counts as absent by default (D-43). */
export const nullToAbsent = (value: unknown): unknown => value ?? undefined;

/** Returns the value, or undefined for null and the empty string, for fields where both count as absent (D-43). */
export const emptyTextToAbsent = (value: unknown): unknown => (value === '' ? undefined : nullToAbsent(value));

/** Returns the value, or undefined for null and the empty array, for fields where both count as absent (D-43). */
export const emptyListToAbsent = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : nullToAbsent(value);

/** Returns the value, or undefined for null and for rows without any items, which count as absent (D-43). */
export const emptyRowsToAbsent = (value: unknown): unknown =>
  Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 0)
    ? undefined
    : nullToAbsent(value);

/** Returns a numeric id as text. Leaves an unsafe integer to the field's rule; null counts as absent. */
export const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : nullToAbsent(value));
