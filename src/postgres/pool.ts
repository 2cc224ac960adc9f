import { type ClientBase, Pool, type PoolClient, type QueryResult, TypeOverrides, types } from 'pg';
import type { Logger } from 'pino';
import { isUnavailable } from './unavailable.js';

const INT8 = 20;
const INT8_ARRAY = 1016;

// pg's typings do not list array types.
const parseTexts = (types.getTypeParser as (oid: number) => (text: string) => unknown)(INT8_ARRAY);
const bigints = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(bigints);
  return typeof value === 'string' ? BigInt(value) : value;
};

/**
 * Parsers for result values: pg's own, except that int8 becomes a bigint, because a position may exceed 2^53. They
 * apply only to connections that are created with them, not to other users of pg in this process.
 */
export const pgTypes = new TypeOverrides();
pgTypes.setTypeParser(INT8, BigInt);
pgTypes.setTypeParser(INT8_ARRAY, (text: string) => bigints(parseTexts(text)));

/** Options for {@link createPool}. */
export interface PoolOptions {
  /** Maximum number of connections, at least 1. */
  readonly max: number;
  /** Name shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly logger: Logger;
  /** Time after which the server cancels a statement, in ms; 0 for never. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /** Time after which the server ends a session that is idle in a transaction, in ms. Default 60,000. */
  readonly idleInTransactionMs?: number;
}

/**
 * Creates a pool of connections to a PostgreSQL server. A lost connection is logged and replaced; a broken connection,
 * idle or busy, cannot crash the process. Query errors reach the caller; {@link isUnavailable} distinguishes outages
 * from mistakes.
 */
export const createPool = (connectionString: string, options: PoolOptions): Pool => {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  // A process that is suspended in a transaction must not hold its locks forever.
  const idleMs = options.idleInTransactionMs ?? 60_000;
  const timeouts = `set statement_timeout to ${statementTimeoutMs}; set idle_in_transaction_session_timeout to ${idleMs}`;
  const pool = new Pool({
    connectionString,
    max: options.max,
    application_name: options.applicationName,
    types: pgTypes,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    // A server behind a broken network never responds: the client's own timeout ends the wait, a little after the
    // server's.
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + 5_000,
    // Set with a statement, not with a connection parameter, because PgBouncer refuses or ignores such parameters. The
    // pool waits for the promise, although its typings do not say so.
    onConnect: ((client) => client.query(timeouts)) as (client: ClientBase) => void,
  });
  pool.on('error', (error) => {
    if (!pool.ending) options.logger.warn({ reason: error.message }, 'lost an idle database connection');
  });
  // The pool does not listen for errors while a client is in use, and an 'error' event without a listener would crash
  // the process.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.logger.debug({ reason: error.message }, 'lost a database connection')),
  );
  return pool;
};

/**
 * SQL expression: selecting it in a statement makes the transaction commit without waiting for the disk. Use it only
 * for data that can be rebuilt from durable data, because a database crash may undo such a commit.
 */
export const withoutSyncCommit = `set_config('synchronous_commit', 'off', true)`;

/**
 * Returns a query with a client-side timeout of a day instead of the pool's; the caller sets the server-side timeout.
 */
export const unhurried = (text: string): { text: string } => {
  const query = { text, query_timeout: 86_400_000 }; // missing from pg's typings
  return query;
};

/**
 * Runs `work` in a transaction: commits if it resolves; if it rejects, rolls back and throws its error. If
 * {@link isUnavailable} is true for the error, it is unknown whether a commit succeeded.
 * @param opening statements that the server executes with the transaction's beginning, which saves a round trip; `work`
 * receives their results
 */
export const withTransaction = async <T>(
  pool: Pool,
  work: (client: PoolClient, opened: readonly QueryResult[]) => Promise<T>,
  isolation: 'read committed' | 'repeatable read' = 'read committed',
  opening: readonly string[] = [],
): Promise<T> => {
  const client = await pool.connect();
  let broken = false;
  try {
    const begun: unknown = await client.query([`begin isolation level ${isolation}`, ...opening].join('; '));
    const result = await work(client, opening.length === 0 ? [] : (begun as readonly QueryResult[]).slice(1));
    await client.query('commit');
    return result;
  } catch (error) {
    // If the connection is lost or hangs, the server rolls back on its own.
    broken = isUnavailable(error);
    if (!broken) await client.query('rollback').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
};
