import { Pool, type PoolClient, TypeOverrides, types } from 'pg';
import type { Logger } from 'pino';
import { isUnavailable } from './unavailable.js';

const INT8 = 20;
const INT8_ARRAY = 1016;

// Its typings list no array types.
const parseTexts = (types.getTypeParser as (oid: number) => (text: string) => unknown)(INT8_ARRAY);
const bigints = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(bigints);
  return typeof value === 'string' ? BigInt(value) : value;
};

/**
 * How answers are read: as pg does, but int8 as bigint (a position may pass 2^53). Belongs to the connections that
 * are given it, so that no other user of pg in the process is surprised.
 */
export const pgTypes = new TypeOverrides();
pgTypes.setTypeParser(INT8, BigInt);
pgTypes.setTypeParser(INT8_ARRAY, (text: string) => bigints(parseTexts(text)));

/** How connections are made and watched. */
export interface PoolOptions {
  /** Most connections at a time, at least 1. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly logger: Logger;
  /** The server gives up a statement after so many milliseconds; 0: never. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /** The server ends a session that stands still in a transaction for so long. Default 60,000. */
  readonly idleInTransactionMs?: number;
}

/**
 * Connections to a PostgreSQL. A lost one is logged and replaced; neither an idle nor a busy connection that breaks
 * can end the process. Errors of queries reach the caller; {@link isUnavailable} tells outages from mistakes.
 */
export const createPool = (connectionString: string, options: PoolOptions): Pool => {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const pool = new Pool({
    connectionString,
    max: options.max,
    application_name: options.applicationName,
    types: pgTypes,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // A server that was cut off answers nothing at all: our own clock ends the wait, a little after its.
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + 5_000,
    // A process that stands still in a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 60_000,
  });
  pool.on('error', (error) => {
    if (!pool.ending) options.logger.warn({ reason: error.message }, 'an idle database connection was lost');
  });
  // While a client is lent out nobody else listens, and an unheard 'error' would end the process.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.logger.debug({ reason: error.message }, 'a database connection was lost')),
  );
  return pool;
};

/**
 * To be selected by a statement whose transaction then commits without waiting for the disk: for what a crash of the
 * database may take back, because it is made again from what it never takes.
 */
export const withoutDisk = `set_config('synchronous_commit', 'off', true)`;

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects, and passes on its error.
 * After an error for which {@link isUnavailable} is true the outcome of a commit is unknown.
 */
export const withTransaction = async <T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  isolation: 'read committed' | 'repeatable read' | 'serializable' = 'read committed',
): Promise<T> => {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query(`begin isolation level ${isolation}`);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // On a connection that is gone or hangs the server rolls back by itself.
    broken = isUnavailable(error);
    if (!broken) await client.query('rollback').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
};
