/** What JSON may say and PostgreSQL's jsonb refuses: U+0000, and half of a surrogate pair (both are escaped by JSON.stringify). */
const UNHOLDABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Rows as JSON text that PostgreSQL can hold. A network's words may carry anything, cut through an emoji as well; what
 * cannot be held becomes U+FFFD. The events keep the words as they came: a read model must not stop over them.
 */
export const jsonText = (rows: unknown): string => {
  const text = JSON.stringify(rows);
  if (!UNHOLDABLE.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}|\u0000/gu, '\ufffd') : value,
  );
};
