import { message } from '../kernel/message.js';

/**
 * Startup errors: an address that cannot be used, or a server that rejects the gateway. The process exits with code 1.
 */
export const START_MESSAGES = {
  notThisMachine: message(
    'HOST {host} is not an address of this machine: set one that is, e.g. 127.0.0.1, or 0.0.0.0 for all of them',
  ),
  portTaken: message(
    '{setting} {port} on {host} is used by another program: stop it, or set {setting} to another port (0 picks a free one)',
  ),
  portNotAllowed: message('{setting} {port} may not be used by this user: set it to 1024 or above'),
  withCode: message('{problem} ({code})'),
  unusableServer: message('{setting} points at {what} that cannot be used: {reason}'),
  unusableServerAdvice: message('{problem}. {advice}'),
};

/** The command `projections reset --to-store`. */
export const RESET_MESSAGES = {
  inUse: message(
    'The database is in use by {count} of the gateway\'s processes. Stop all of them, and run "npm start -- projections reset --to-store" again.',
  ),
  done: message(
    'Read models and sagas start again from the event store {id} at {address} (before: {former}). The outcomes of {taken} publications were taken over; {doubtful} of these publications are in doubt. What was waiting is held until it is confirmed: see GET /manage/v1/recovery. {log}Start the gateway; /readyz answers 200 once the read models are built.',
  ),
  logEnds: 'The transparency log ends, and a new one begins. ',
};

/** The commands `content-keys import <file>` and `content-keys lost`. */
export const CONTENT_KEY_MESSAGES = {
  restored: message('The database has the {count} keys of the file. Start the gateway.'),
  givenUp: 'Content whose key is missing now counts as erased. Start the gateway.',
};

/** Recovery from lost events (D-80). */
export const RECOVERY_MESSAGES = {
  started: message(
    'events were lost: the log ends at {end}; what was waiting is held until it is confirmed, and new posts are published as always',
  ),
  takingOver: 'the database knows more than the event store; taking over what was published and cancelled',
  startingAgain: 'events that this process has seen are lost; it starts again to recover',
  /** `restored` */
  outcomeLost:
    'The event store was restored from a backup that does not contain the outcome of this publication: the post may or may not be visible.',
};

/** Advice about startup errors from PostgreSQL or a pooler in front of it. */
export const DATABASE_ADVICE = {
  /** 28P01 */
  password: message('Correct the user and the password; {encoding}.'),
  /** 28000 */
  notAllowed: "Allow this role, database and address in the server's pg_hba.conf.",
  /** 3D000 */
  noDatabase:
    "Create the database as a superuser: CREATE DATABASE crosspost OWNER <the role> ENCODING 'UTF8' TEMPLATE template0;",
  /** 42501 */
  noRights:
    'The role must own the database or have the privileges listed in docs/deployment.md: CREATE on the database, and USAGE and CREATE on schema public.',
  /** 42501, while connecting */
  grantConnect: message(
    'As the owner of the database or a superuser, run:\n  GRANT CONNECT ON DATABASE {database} TO {role};',
  ),
  noPassword:
    'The server requires a password, but DATABASE_URL has none. Set it in the form postgres://user:password@host/database.',
  bouncerParameters:
    'This server is PgBouncer. Add to pgbouncer.ini: ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout',
  bouncerStatementMode:
    'This server is PgBouncer in statement mode. Set pool_mode = session for this database, or connect to PostgreSQL directly.',
  bouncerUser: message('Correct DATABASE_URL or pgbouncer.ini; {encoding}.'),
};

/** The demo's `/walls` pages. */
export const WALL_MESSAGES = {
  /** 403 `forbidden` */
  foreignPage: 'This is not the page of the walls that this process has sent: reload it.',
  /** 404 `not_found` */
  noWall: 'This wall does not exist, or has nothing with that name.',
};

/** The startup banner. */
export const BANNER_MESSAGES = {
  demoDisabled: message("  The demo endpoint is disabled. Enable it first, with the operator's key:\n\n  POST {url}"),
  post: message(
    "  Post something:\n\n  curl {url} \\\n    -H 'Authorization: Bearer {token}' \\\n    -H 'Content-Type: application/json' \\\n    -d '{body}'",
  ),
  firstPost: 'Hello from Crosspost',
  publishes: 'publishes posts',
  operatorKeyKept: message('in {file}'),
};
