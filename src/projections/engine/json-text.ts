/** Escapes that JSON allows and PostgreSQL's jsonb rejects: U+0000 and unpaired surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Encodes rows as JSON text that PostgreSQL can store. Characters that it cannot store, such as half of an emoji in a
 * network's message, become U+FFFD; events keep the original.
 */
export const toJsonText = (rows: unknown): string => {
  const text = JSON.stringify(rows);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}|\u0000/gu, '\ufffd') : value,
  );
};
