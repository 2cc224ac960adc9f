import { ENCODE_PASSWORD } from '../config/setting.js';

/** PgBouncer gives most of its errors this code, those that pass by themselves included; so the message decides. */
const PROTOCOL_VIOLATION = '08P01';

const BY_STATE: Readonly<Record<string, string>> = {
  '28P01': `Correct the user and the password; ${ENCODE_PASSWORD}.`,
  '28000': 'The server’s pg_hba.conf must allow this role, database and address.',
  '3D000': `A superuser creates the database: CREATE DATABASE crosspost OWNER <the role> ENCODING 'UTF8' TEMPLATE template0;`,
  '42501':
    'The role must own the database, or have the rights that docs/deployment.md lists: CREATE on the database, USAGE and CREATE on the schema public.',
};

const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [
    /unsupported startup parameter/,
    'This is a PgBouncer. Add to pgbouncer.ini: ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout',
  ],
  [
    /transaction blocks not allowed in statement pooling mode/,
    'This is a PgBouncer in statement mode. Set pool_mode = session for this database, or connect to PostgreSQL directly.',
  ],
  [/no such (database|user)|authentication failed/, `Correct DATABASE_URL or pgbouncer.ini; ${ENCODE_PASSWORD}.`],
];

/**
 * Returns a sentence that says how to correct what PostgreSQL, or a pooler before it, refuses for good; null if the error needs no
 * explanation, or passes by itself (D-54).
 */
export const adviseOnRefusal = (error: unknown): string | null => {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (/client password must be a string/.test(message))
    return 'The server asks for a password, and DATABASE_URL contains none: postgres://user:password@host/database.';
  if (code !== PROTOCOL_VIOLATION) return BY_STATE[code] ?? null;
  return BY_MESSAGE.find(([form]) => form.test(message))?.[1] ?? null;
};
