/**
 * Escapes that JSON allows and PostgreSQL's jsonb rejects: U+0000 and unpaired surrogates. JSON.stringify escapes both.
 */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Encodes rows as JSON text that PostgreSQL can store. A network's message may contain any characters, even half of an
 * emoji. Characters that cannot be stored become U+FFFD, so that they never stop a read model. Events keep the
 * original.
 */
export const toJsonText = (rows: unknown): string => {
  const text = JSON.stringify(rows);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}|\u0000/gu, '\ufffd') : value,
  );
};
