import { Overloaded } from '../runtime/batcher.js';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOENT', // a Unix socket that does not exist
]);

const SQLSTATES = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting up, recovering, shutting down
  '57P05', // idle_session_timeout
  '57014', // query_canceled: the statement timeout
  '25006', // read_only_sql_transaction: the server has become a standby
  '25P03', // idle_in_transaction_session_timeout
  '58030', // io_error
]);
/** 08: connection exceptions; 53: out of connections, memory or disk. */
const CLASSES = /^(08|53)/;

/** Messages of pg errors that have no code: the connection broke or could not be established. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Connection ended unexpectedly)/;

/**
 * SQLSTATEs of a running server that rejects reads or writes until an operator fixes the cause: disk_full, io_error, a
 * read-only server, undefined_file, duplicate_file, damaged data or index.
 */
const STORAGE = /^(53100|58030|25006|58P0.|XX001|XX002)$/;
/** 28, 3D: login or database refused; 3F, 42: missing rights, or a missing schema, table or function. */
const SETUP = /^(28|3D|3F|42)/;

/** An error that a PostgreSQL server sent. */
interface ServerError {
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
}

/** Returns the error if the server cannot store data until an operator fixes the cause; null for any other error. */
export const findStorageError = (error: unknown): ServerError | null => {
  const found = asServerError(error);
  return found && STORAGE.test(found.code) ? found : null;
};

/** Like {@link findStorageError}, but also for missing rights, a refused login, and missing tables or functions. */
export const findLastingError = (error: unknown): ServerError | null => {
  const found = asServerError(error);
  return found && (STORAGE.test(found.code) || SETUP.test(found.code)) ? found : null;
};

/** Checks the shape, not the class: errors may come from another realm. */
const asServerError = (error: unknown): ServerError | null => {
  if (typeof error !== 'object' || error === null || !('severity' in error)) return null;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? { code, message: String(message) } : null;
};

/**
 * True for errors that are not the fault of the statement: the database is not running, cannot be reached, is shutting
 * down, is read-only, timed out or has no resources left, or too many calls were waiting for it. A later attempt may
 * succeed. If a commit fails with one of these errors, its outcome is unknown.
 */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof Overloaded) return true;
  // Checks the shape, not the class: Node's own errors may come from another realm.
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: unknown };
  if (typeof code === 'string') {
    if ('severity' in error) return SQLSTATES.has(code) || CLASSES.test(code); // an error from the server
    if (NETWORK.has(code)) return 'syscall' in error || Array.isArray(errors);
  }
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isUnavailable); // one for each address that was tried
  return typeof message === 'string' && MESSAGES.test(message);
};
