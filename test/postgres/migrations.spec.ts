import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { type Migration, migrate } from '../../src/postgres/migrations.js';
import { migrations as all } from '../../src/postgres/migrations/all.js';
import { createPool } from '../../src/postgres/pool.js';
import { checkSecretsKey } from '../../src/postgres/secrets-key-check.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const logger = createLogger({ logLevel: 'silent' });
const first: Migration = { number: 1, name: 'first', sql: 'create table a (n int); insert into a values (1)' };
const second: Migration = { number: 2, name: 'second', sql: 'create table b as select n + 1 as n from a' };

describe('migrations', () => {
  let server: TestPostgres;
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    server = await startTestPostgres(); // keeps the server up between the tests
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
    (await pool.query('select number, name from ops_migration order by number')).rows;

  it('runs what is new, in order, and nothing twice', async () => {
    await migrate(pool, [first], logger);
    await migrate(postgres.connectionString, [first, second], logger);
    await migrate(pool, [first, second], logger);
    expect(await applied()).toEqual([
      { number: 1, name: 'first' },
      { number: 2, name: 'second' },
    ]);
    expect((await pool.query('select a.n as a, b.n as b from a, b')).rows).toEqual([{ a: 1, b: 2 }]);
  });

  it('brings a new database to the schema of this program, and leaves the pool’s sessions as they were', async () => {
    await migrate(pool, all, logger);
    expect(await applied()).toHaveLength(all.length);
    const { rows } = await pool.query("select current_setting('statement_timeout') as timeout");
    expect(rows).toEqual([{ timeout: '30s' }]);
    const locks = await pool.query("select count(*)::int as held from pg_locks where locktype = 'advisory'");
    expect(locks.rows).toEqual([{ held: 0 }]);
  });

  it('undoes all of a migration that fails, keeps those before it, and can go on once it is mended', async () => {
    const broken = { ...second, sql: 'create table b (n int); select 1 / 0' };
    await expect(migrate(pool, [first, broken], logger)).rejects.toMatchObject({ code: '22012' });
    expect(await applied()).toEqual([{ number: 1, name: 'first' }]);
    expect((await pool.query("select to_regclass('b') as b")).rows).toEqual([{ b: null }]);
    await migrate(pool, [first, second], logger);
    expect(await applied()).toHaveLength(2);
  });

  it('refuses a migration that was edited after it ran', async () => {
    await migrate(pool, [first], logger);
    const edited = { ...first, sql: `${first.sql}; insert into a values (2)` };
    await expect(migrate(pool, [edited, second], logger)).rejects.toThrow(
      'Migration 1 "first" has run in this database with another content',
    );
    expect(await applied()).toHaveLength(1);
  });

  it('refuses a database that a newer release has used', async () => {
    await migrate(pool, [first, second], logger);
    await expect(migrate(pool, [first], logger)).rejects.toThrow(
      'The database has migration 2 "second", this program knows only 1: a newer release has used this database.',
    );
  });

  it('refuses a table of migrations with a gap, and a list that is wrongly numbered', async () => {
    await migrate(pool, [first, second], logger);
    await pool.query('delete from ops_migration where number = 1');
    await expect(migrate(pool, [first, second], logger)).rejects.toThrow('lacks migration 1 "first"');
    await expect(migrate(pool, [first, { ...second, number: 3 }], logger)).rejects.toThrow('2 comes next');
  });

  it('refuses a PostgreSQL older than 15 before it changes anything', async () => {
    // No old server at hand: a function of that name before pg_catalog in the path answers as one would.
    const name = /[^/]+$/.exec(postgres.connectionString)![0];
    await pool.query(
      `create function public.current_setting(text) returns text language sql as $$ select case $1 when 'server_version_num' then '140012' else '14.12' end $$`,
    );
    await pool.query(`alter database ${name} set search_path = public, pg_catalog`);
    await expect(migrate(postgres.connectionString, [first], logger)).rejects.toThrow(
      'The database is PostgreSQL 14.12; version 15 or later is needed.',
    );
    expect((await pool.query("select to_regclass('public.ops_migration') as t")).rows).toEqual([{ t: null }]);
  });

  it('runs each exactly once when three processes start at the same moment', async () => {
    const processes = [1, 2, 3].map(() => spawnMigrating(postgres.connectionString));
    for (const child of processes) expect(await once(child.stdout!, 'data')).toEqual([Buffer.from('ready\n')]);
    const logs = processes.map((child) => text(child.stderr!));
    for (const child of processes) child.stdin!.end('go\n');
    for (const child of processes) expect(await exitOf(child)).toBe(0);
    // each step adds a row and takes a while; a second run would add another, or fail on the table
    expect((await pool.query('select step from steps order by step')).rows).toEqual(
      [1, 2, 3].map((step) => ({ step })),
    );
    const ran = (await Promise.all(logs)).join('').match(/migrated the database/g);
    expect(ran).toHaveLength(3);
  });
});

describe('the key that encrypts credentials', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    pool = createPool(postgres.connectionString, { max: 4, applicationName: 'secrets-key-spec', logger });
    await migrate(pool, all, logger);
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  it('is the one that the database was first started with, even where processes start at once', async () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const outcomes = await Promise.allSettled([0, 1, 0, 1].map((i) => checkSecretsKey(pool, keys[i]!)));
    const accepted = outcomes.map(({ status }) => status === 'fulfilled');
    expect(accepted[0]).toBe(accepted[2]);
    expect(accepted[1]).toBe(accepted[3]);
    expect(accepted[0]).not.toBe(accepted[1]);
    const right = keys[accepted[0] ? 0 : 1]!;
    const wrong = keys[accepted[0] ? 1 : 0]!;
    await checkSecretsKey(pool, right);
    await expect(checkSecretsKey(pool, wrong)).rejects.toThrow('SECRETS_KEY does not fit this database');
    const { rows } = await pool.query<{ value: string }>('select value from ops_setting');
    expect(rows).toHaveLength(1);
    expect(rows[0]!.value).not.toContain(right.toString('hex'));
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
