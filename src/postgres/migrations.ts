import { createHash } from 'node:crypto';
import { Client, type ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import { MIGRATION_MESSAGES } from './messages.js';

/** A numbered schema change. Runs once and is never edited after its release: later changes need a new migration. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  /** Kebab-case, as in its file's name; unique among all migrations, repeatable ones included. */
  readonly name: string;
  /** One or more statements that can run in a transaction. */
  readonly sql: string;
}

/**
 * A migration that creates functions and may be edited. It runs after the numbered migrations, and again whenever its
 * content has changed. It must have the same result however often it runs (`create or replace`). To change a function's
 * parameters or result, drop it in a numbered migration first.
 */
export interface RepeatableMigration extends Omit<Migration, 'number'> {
  /**
   * Default 1; raised by the first edit after a release. A process never replaces functions of a higher version, so
   * that an older program that starts during an upgrade does not restore its own functions.
   */
  readonly version?: number;
}

/** All migrations that bring an empty database up to this program's schema. */
export interface Migrations {
  readonly numbered: readonly Migration[];
  /** In execution order. */
  readonly repeatable: readonly RepeatableMigration[];
}

/** The database does not match this program. The message says why and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Key of the advisory lock held while migrations run. No other code locks it; it is the same in every release. */
const MIGRATION_LOCK = 4_107_260_411;
const MIN_SERVER_VERSION = 15;

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

type AppliedRepeatable = Omit<AppliedMigration, 'number'> & { readonly version: number };

/**
 * Brings the database's schema up to the newest migration. Several processes may start at once: each migration runs
 * exactly once, in its own transaction, while the other processes wait.
 * @throws MigrationError before the schema is changed, if PostgreSQL is older than 15, the schema comes from an
 * unreleased version or a newer program, or a numbered migration is misnumbered, was edited, or is missing although
 * later ones have run. SQL errors propagate unchanged.
 */
export const migrate = async (database: Pool | string, migrations: Migrations, logger: Logger): Promise<void> => {
  checkNumbering(migrations.numbered);
  if (database instanceof Pool) {
    const client = await database.connect();
    // This session's settings must not reach the pool's next user, so the connection is closed, not returned.
    await migrateWith(client, migrations, logger).finally(() => client.release(true));
    return;
  }
  const client = new Client({ connectionString: database, application_name: 'migrations', keepAlive: true });
  client.on('error', (error) => logger.warn({ reason: error.message }, 'lost the database connection for migrations'));
  await client.connect();
  await migrateWith(client, migrations, logger).finally(() => client.end());
};

const migrateWith = async (client: ClientBase, migrations: Migrations, logger: Logger): Promise<void> => {
  await checkServer(client);
  // Waiting for another process and building an index may both take longer than the usual timeout.
  await client.query('set statement_timeout = 0');
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await client.query(
      `create table if not exists ops_migration (
         name text primary key, number int unique, checksum text not null, version int not null default 1,
         at timestamptz not null default now())`,
    );
    const numbered = await client.query<AppliedMigration>(
      'select number, name, checksum from ops_migration where number is not null order by number',
    );
    const pending = findPending(migrations.numbered, numbered.rows);
    for (const migration of pending) await applyMigration(client, migration, logger);
    const repeatable = await client.query<AppliedRepeatable>(
      'select name, checksum, version from ops_migration where number is null',
    );
    const changed = findChanged(migrations.repeatable, repeatable.rows);
    for (const migration of changed) await applyMigration(client, migration, logger);
  } finally {
    // If this fails, the lock is released when the session ends.
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
};

const applyMigration = async (
  client: ClientBase,
  migration: Migration | RepeatableMigration,
  logger: Logger,
): Promise<void> => {
  const { name, sql } = migration;
  const number = 'number' in migration ? migration.number : null;
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query(
      `insert into ops_migration (name, number, checksum, version) values ($1, $2, $3, $4)
       on conflict (name) do update set checksum = excluded.checksum, version = excluded.version, at = now()`,
      [name, number, checksumOf(sql), versionOf(migration)],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  logger.info({ migration: number === null ? name : `${number} ${name}` }, 'migrated the database');
};

const checkServer = async (client: ClientBase): Promise<void> => {
  const { rows } = await client.query<{ num: string; version: string }>(
    "select current_setting('server_version_num') as num, current_setting('server_version') as version",
  );
  if (Number(rows[0]?.num) < MIN_SERVER_VERSION * 10_000)
    throw new MigrationError(
      MIGRATION_MESSAGES.serverTooOld({ version: rows[0]?.version ?? '', least: MIN_SERVER_VERSION }),
    );
};

const checkNumbering = (migrations: readonly Migration[]): void => {
  migrations.forEach(({ name, number }, i) => {
    if (number !== i + 1) throw new MigrationError(MIGRATION_MESSAGES.wrongNumber({ name, number, expected: i + 1 }));
  });
};

/** Returns the pending migrations, after checking that this program knows all migrations that have run. */
const findPending = (migrations: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] => {
  const [expected, found] = [migrations[0], applied[0]];
  if (found?.number === 1 && expected && found.name !== expected.name)
    throw new MigrationError(MIGRATION_MESSAGES.unreleasedDatabase({ found: found.name, expected: expected.name }));
  for (const { number, name, checksum } of applied) {
    const known = migrations[number - 1];
    if (!known) throw new MigrationError(MIGRATION_MESSAGES.newerDatabase({ number, name, known: migrations.length }));
    if (known.name !== name || checksumOf(known.sql) !== checksum)
      throw new MigrationError(MIGRATION_MESSAGES.editedMigration({ number, name, known: known.name }));
  }
  const gap = applied.findIndex(({ number }, i) => number !== i + 1);
  if (gap >= 0)
    throw new MigrationError(MIGRATION_MESSAGES.missingMigration({ number: gap + 1, name: migrations[gap]!.name }));
  return migrations.slice(applied.length);
};

/** Returns the repeatable migrations whose current content has not run, unless a newer program has replaced it. */
const findChanged = (
  migrations: readonly RepeatableMigration[],
  applied: readonly AppliedRepeatable[],
): readonly RepeatableMigration[] => {
  const known = new Map(applied.map((one) => [one.name, one]));
  return migrations.filter((migration) => {
    const ran = known.get(migration.name);
    return !ran || (ran.version <= versionOf(migration) && ran.checksum !== checksumOf(migration.sql));
  });
};

const versionOf = (migration: Migration | RepeatableMigration): number =>
  ('version' in migration ? migration.version : undefined) ?? 1;

const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex');
