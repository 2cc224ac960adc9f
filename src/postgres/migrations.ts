import { createHash } from 'node:crypto';
import { Client, Pool, type ClientBase } from 'pg';
import type { Logger } from 'pino';

/** One step of the schema. Never edited once it has been released: what comes later is a new step. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  /** Kebab-case, as in its file's name. */
  readonly name: string;
  /** One or more statements that can run in a transaction. */
  readonly sql: string;
}

/** The database and this program do not fit together; the message says why and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Any number that nobody else locks; the same in every release. */
const LOCK = 4_107_260_411;
const OLDEST_SERVER = 15;

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/**
 * Brings the database's schema up to the newest migration. Several processes may start at once: each migration runs
 * exactly once, in a transaction of its own, while the others wait.
 * @throws MigrationError before anything was changed: PostgreSQL older than 15; a schema newer than this program; a
 * released migration that was edited, or one slipped in before others that have run. Errors of statements pass through.
 */
export const migrate = async (
  database: Pool | string,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> => {
  checkNumbering(migrations);
  if (database instanceof Pool) {
    const client = await database.connect();
    // What was set for this session must not reach the pool's next borrower: the connection is not given back.
    await migrateOver(client, migrations, logger).finally(() => client.release(true));
    return;
  }
  const client = new Client({ connectionString: database, application_name: 'migrations', keepAlive: true });
  client.on('error', (error) => logger.warn({ reason: error.message }, 'the database connection was lost'));
  await client.connect();
  await migrateOver(client, migrations, logger).finally(() => client.end());
};

const migrateOver = async (client: ClientBase, migrations: readonly Migration[], logger: Logger): Promise<void> => {
  await checkServer(client);
  // Waiting for another process and building an index may both take long.
  await client.query('set statement_timeout = 0');
  await client.query('select pg_advisory_lock($1)', [LOCK]);
  try {
    await client.query(
      `create table if not exists ops_migration (
         number int primary key, name text not null, checksum text not null, at timestamptz not null default now())`,
    );
    const { rows } = await client.query<Applied>('select number, name, checksum from ops_migration order by number');
    const pending = pendingOf(migrations, rows);
    for (const migration of pending) await apply(client, migration, logger);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => undefined); // ends with the session anyway
  }
};

const apply = async (client: ClientBase, migration: Migration, logger: Logger): Promise<void> => {
  const { number, name, sql } = migration;
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('insert into ops_migration (number, name, checksum) values ($1, $2, $3)', [
      number,
      name,
      checksum(sql),
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  logger.info({ migration: `${number} ${name}` }, 'migrated the database');
};

const checkServer = async (client: ClientBase): Promise<void> => {
  const { rows } = await client.query<{ num: string; version: string }>(
    "select current_setting('server_version_num') as num, current_setting('server_version') as version",
  );
  if (Number(rows[0]?.num) < OLDEST_SERVER * 10_000)
    throw new MigrationError(
      `The database is PostgreSQL ${rows[0]?.version}; version ${OLDEST_SERVER} or later is needed. Upgrade it, or leave DATABASE_URL unset to use the embedded one.`,
    );
};

const checkNumbering = (migrations: readonly Migration[]): void => {
  const wrong = migrations.findIndex((migration, i) => migration.number !== i + 1);
  if (wrong >= 0)
    throw new MigrationError(
      `Migration "${migrations[wrong]?.name}" has number ${migrations[wrong]?.number}; ${wrong + 1} comes next.`,
    );
};

/** What has not run yet, once it is sure that what has run is what this program knows. */
const pendingOf = (migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] => {
  const newest = migrations.length;
  for (const { number, name, checksum: found } of applied) {
    const known = migrations[number - 1];
    if (!known)
      throw new MigrationError(
        `The database has migration ${number} "${name}", this program knows only ${newest}: a newer release has used this database. Start that release or a later one.`,
      );
    if (known.name !== name || checksum(known.sql) !== found)
      throw new MigrationError(
        `Migration ${number} "${name}" has run in this database with another content than this program has ("${known.name}"). A released migration must never be edited: restore it, and put the change into a new one.`,
      );
  }
  const gap = applied.findIndex(({ number }, i) => number !== i + 1);
  if (gap >= 0)
    throw new MigrationError(
      `The database lacks migration ${gap + 1} "${migrations[gap]?.name}" but has later ones: its table ops_migration was changed by hand. Restore the database from a backup.`,
    );
  return migrations.slice(applied.length);
};

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');
