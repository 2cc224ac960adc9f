import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { migrate, type Migration, type Migrations, type RepeatableMigration } from '../../src/postgres/migrations.js';
import { migrations as all } from '../../src/postgres/migrations/all.js';
import { createPool } from '../../src/postgres/pool.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { createUnreleasedSchema } from './unreleased-schema.js';

const logger = createLogger({ logLevel: 'silent' });
const first: Migration = { number: 1, name: 'first', sql: 'create table a (n int); insert into a values (1)' };
const second: Migration = { number: 2, name: 'second', sql: 'create table b as select n + 1 as n from a' };
const only = (...numbered: readonly Migration[]): Migrations => ({ numbered, repeatable: [] });
const doubling = (factor: number, version = 1): RepeatableMigration => ({
  name: 'doubling',
  version,
  sql: `create or replace function double_it(n int) returns int language sql as $$ select n * ${factor} $$`,
});

describe('migrations', () => {
  let server: TestPostgres;
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    server = await startTestPostgres(); // keeps the server running between the tests
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    postgres = await startTestPostgres();
    pool = createPool(postgres.connectionString, { max: 4, applicationName: 'migrations-spec', logger });
  });
  afterEach(async () => {
    await pool.end();
    await postgres.stop();
  });
  const applied = async (): Promise<unknown[]> =>
    (await pool.query('select number, name from ops_migration order by number, name')).rows;

  it('runs new migrations in order, and none twice', async () => {
    await migrate(pool, only(first), logger);
    await migrate(postgres.connectionString, only(first, second), logger);
    await migrate(pool, only(first, second), logger);
    expect(await applied()).toEqual([
      { number: 1, name: 'first' },
      { number: 2, name: 'second' },
    ]);
    expect((await pool.query('select a.n as a, b.n as b from a, b')).rows).toEqual([{ a: 1, b: 2 }]);
  });

  it('creates the schema of this program in an empty database, and leaves the settings of the pool’s sessions unchanged', async () => {
    await migrate(pool, all, logger);
    expect(await applied()).toHaveLength(all.numbered.length + all.repeatable.length);
    const { rows } = await pool.query("select current_setting('statement_timeout') as timeout");
    expect(rows).toEqual([{ timeout: '30s' }]);
    const locks = await pool.query(
      `select count(*)::int as held from pg_locks join pg_database d on d.oid = database
       where locktype = 'advisory' and datname = current_database()`,
    );
    expect(locks.rows).toEqual([{ held: 0 }]);
  });

  it('rolls back a migration that fails, keeps those before it, and continues once it is corrected', async () => {
    const broken = { ...second, sql: 'create table b (n int); select 1 / 0' };
    await expect(migrate(pool, only(first, broken), logger)).rejects.toMatchObject({ code: '22012' });
    expect(await applied()).toEqual([{ number: 1, name: 'first' }]);
    expect((await pool.query("select to_regclass('b') as b")).rows).toEqual([{ b: null }]);
    await migrate(pool, only(first, second), logger);
    expect(await applied()).toHaveLength(2);
  });

  it('refuses a migration that was edited after it ran', async () => {
    await migrate(pool, only(first), logger);
    const edited = { ...first, sql: `${first.sql}; insert into a values (2)` };
    await expect(migrate(pool, only(edited, second), logger)).rejects.toThrow(
      'Migration 1 "first" ran in this database with content that differs from',
    );
    expect(await applied()).toHaveLength(1);
  });

  it('refuses a database that was used by a newer release', async () => {
    await migrate(pool, only(first, second), logger);
    await expect(migrate(pool, only(first), logger)).rejects.toThrow(
      'The database has migration 2 "second", but this program knows only 1: a newer release has used this database.',
    );
  });

  it('refuses a migrations table with a gap, and a wrongly numbered list', async () => {
    await migrate(pool, only(first, second), logger);
    await pool.query('delete from ops_migration where number = 1');
    await expect(migrate(pool, only(first, second), logger)).rejects.toThrow('lacks migration 1 "first"');
    await expect(migrate(pool, only(first, { ...second, number: 3 }), logger)).rejects.toThrow('it must be 2');
  });

  it('runs a repeatable migration after the numbered ones, and again only when its content has changed', async () => {
    const doubled = async (): Promise<unknown> => (await pool.query('select double_it(n) as n from a')).rows;
    await migrate(pool, { numbered: [first], repeatable: [doubling(2)] }, logger);
    expect(await doubled()).toEqual([{ n: 2 }]);
    expect(await applied()).toEqual([
      { number: 1, name: 'first' },
      { number: null, name: 'doubling' },
    ]);
    await pool.query('drop function double_it');
    await migrate(pool, { numbered: [first], repeatable: [doubling(2)] }, logger);
    await expect(doubled()).rejects.toMatchObject({ code: '42883' }); // unchanged: it has not run again
    await migrate(pool, { numbered: [first, second], repeatable: [doubling(3)] }, logger);
    expect(await doubled()).toEqual([{ n: 3 }]);
    expect(await applied()).toHaveLength(3);
  });

  it('does not put back the functions of an older program that starts later', async () => {
    const doubled = async (): Promise<unknown> => (await pool.query('select double_it(1) as n')).rows;
    await migrate(pool, { numbered: [first], repeatable: [doubling(2)] }, logger);
    await migrate(pool, { numbered: [first], repeatable: [doubling(3, 2)] }, logger);
    await migrate(pool, { numbered: [first], repeatable: [doubling(2)] }, logger);
    expect(await doubled()).toEqual([{ n: 3 }]);
    await migrate(pool, { numbered: [first], repeatable: [doubling(4, 2)] }, logger); // edited before its release
    expect(await doubled()).toEqual([{ n: 4 }]);
  });

  it('rolls back a repeatable migration that fails, and runs it at the next start', async () => {
    await migrate(pool, { numbered: [first], repeatable: [doubling(2)] }, logger);
    const broken = { ...doubling(3), sql: `${doubling(3).sql}; select 1 / 0` };
    await expect(migrate(pool, { numbered: [first], repeatable: [broken] }, logger)).rejects.toMatchObject({
      code: '22012',
    });
    expect((await pool.query('select double_it(1) as n')).rows).toEqual([{ n: 2 }]);
    await migrate(pool, { numbered: [first], repeatable: [doubling(3)] }, logger);
    expect((await pool.query('select double_it(1) as n')).rows).toEqual([{ n: 3 }]);
  });

  it('refuses a database of an unreleased version, says what to do, and changes nothing', async () => {
    await createUnreleasedSchema(postgres.connectionString);
    await expect(migrate(pool, all, logger)).rejects.toThrow(
      'The database was created by an unreleased version of this program (its first migration is "setting", not "schema") and cannot be upgraded. Set DATA_DIR to a new folder, or DATABASE_URL to an empty database.',
    );
    expect((await pool.query('select count(*)::int as n from ops_migration')).rows).toEqual([{ n: 11 }]);
    expect((await pool.query("select to_regclass('ops_worker') as t")).rows).toEqual([{ t: null }]);
  });

  it('refuses a PostgreSQL older than 15 before it changes anything', async () => {
    // Imitates an old server with a function of the same name that is found before pg_catalog's.
    const name = /[^/]+$/.exec(postgres.connectionString)![0];
    await pool.query(
      `create function public.current_setting(text) returns text language sql as $$ select case $1 when 'server_version_num' then '140012' else '14.12' end $$`,
    );
    await pool.query(`alter database ${name} set search_path = public, pg_catalog`);
    await expect(migrate(postgres.connectionString, only(first), logger)).rejects.toThrow(
      'The database is PostgreSQL 14.12; version 15 or later is needed.',
    );
    expect((await pool.query("select to_regclass('public.ops_migration') as t")).rows).toEqual([{ t: null }]);
  });

  it('runs each migration exactly once when three processes start at the same moment', async () => {
    const processes = [1, 2, 3].map(() => spawnMigrating(postgres.connectionString));
    for (const child of processes) expect(await once(child.stdout!, 'data')).toEqual([Buffer.from('ready\n')]);
    const logs = processes.map((child) => text(child.stderr!));
    for (const child of processes) child.stdin!.end('go\n');
    for (const child of processes) expect(await exitOf(child)).toBe(0);
    // Each step adds a row and takes a while. A second run would add another row, or fail on the table.
    expect((await pool.query('select step from steps order by step')).rows).toEqual(
      [1, 2, 3].map((step) => ({ step })),
    );
    const ran = (await Promise.all(logs)).join('').match(/migrated the database/g);
    expect(ran).toHaveLength(3);
  });
});

const spawnMigrating = (connectionString: string): ChildProcess =>
  spawn(
    process.execPath,
    [
      '--import',
      fileURLToPath(new URL('../support/typescript-loader.js', import.meta.url)),
      fileURLToPath(new URL('./migrating-process.ts', import.meta.url)),
      connectionString,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );

const exitOf = async (child: ChildProcess): Promise<number | null> =>
  child.exitCode ?? ((await once(child, 'exit')) as [number | null])[0];
