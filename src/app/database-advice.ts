import { SETTING_MESSAGES } from '../config/messages.js';
import { DATABASE_ADVICE } from './messages.js';

/** PgBouncer gives most of its errors this code, even temporary ones, so the advice depends on the message. */
const PROTOCOL_VIOLATION = '08P01';

const BY_STATE: Readonly<Record<string, string>> = {
  '28P01': DATABASE_ADVICE.password({ encoding: SETTING_MESSAGES.encodePassword }),
  '28000': DATABASE_ADVICE.notAllowed,
  '3D000': DATABASE_ADVICE.noDatabase,
  '42501': DATABASE_ADVICE.noRights,
};

const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/unsupported startup parameter/, DATABASE_ADVICE.bouncerParameters],
  [/transaction blocks not allowed in statement pooling mode/, DATABASE_ADVICE.bouncerStatementMode],
  [
    /no such (database|user)|authentication failed/,
    DATABASE_ADVICE.bouncerUser({ encoding: SETTING_MESSAGES.encodePassword }),
  ],
];

/** Returns the statement that lets a role connect, with the names from the error and DATABASE_URL (D-54). */
const grantConnect = (message: string, url: string): string => {
  const database = /permission denied for database "(.+)"/.exec(message)?.[1] ?? '<the database>';
  const role = URL.canParse(url) ? decodeURIComponent(new URL(url).username) : '';
  return DATABASE_ADVICE.grantConnect({
    database: quoteName(database),
    role: role === '' ? '<the role>' : quoteName(role),
  });
};

/** Quotes a name for SQL if necessary. */
const quoteName = (name: string): string =>
  /^([a-z_][a-z0-9_]*|<.*>)$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/**
 * Returns a sentence that explains how to fix a permanent refusal by PostgreSQL or a pooler in front of it; null if the
 * error needs no explanation or is temporary (D-54).
 * @param url DATABASE_URL
 */
export const adviseOnRefusal = (error: unknown, url = ''): string | null => {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (/client password must be a string/.test(message)) return DATABASE_ADVICE.noPassword;
  if (/^permission denied for database/.test(message)) return grantConnect(message, url);
  if (code !== PROTOCOL_VIOLATION) return BY_STATE[code] ?? null;
  return BY_MESSAGE.find(([form]) => form.test(message))?.[1] ?? null;
};
