import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import type { Log } from '../../src/kernel/log.js';
import { silentLog } from '../../src/kernel/log.js';
import { migrate } from '../../src/postgres/migrations.js';
import { migrations } from '../../src/postgres/migrations/all.js';
import { checkServer, UnfitServer } from '../../src/postgres/server-check.js';
import { until } from '../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { TransactionPooler } from '../support/transaction-pooler.js';

let server: TestPostgres;
beforeAll(async () => void (server = await startTestPostgres()));
afterAll(() => server.stop());

/** Runs statements one after the other, as the superuser unless a URL is given. */
const execute = async (sql: readonly string[], url = server.connectionString): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of sql) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Creates a role without rights, and a database; both are dropped with the test. */
const createRoleAndDatabase = async (options = '') => {
  const name = `t_${randomBytes(6).toString('hex')}`;
  const own = new URL(server.connectionString);
  own.pathname = `/${name}`;
  const superuser = own.href;
  await execute([
    `create role ${name} login password 'secret'`,
    `create database ${name} template template0 ${options}`,
  ]);
  drops.push(`drop database ${name} with (force)`, `drop role ${name}`);
  [own.username, own.password] = [name, 'secret'];
  return { name, url: own.href, superuser };
};

const drops: string[] = [];
afterEach(() => execute(drops.splice(0)));

const check = (url: string, connections = 6, log: Log = silentLog): Promise<string> =>
  checkServer(url, { connections, isChosen: true, log }).then(
    () => 'fits',
    (error: unknown) => {
      if (error instanceof UnfitServer) return error.message;
      throw error;
    },
  );

/** Statements that a message gives to copy. */
const statementsIn = (message: string): string[] =>
  message
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

describe('the check of the server', () => {
  it('finds a role without rights, and gives the statements that it needs', async () => {
    const { name, url, superuser } = await createRoleAndDatabase();
    const message = await check(url);
    expect(message).toMatch(new RegExp(`^DATABASE_URL uses the role ${name}, which may not create schemas and tables`));
    expect(statementsIn(message)).toEqual([
      `GRANT CREATE ON DATABASE ${name} TO ${name};`,
      `GRANT USAGE, CREATE ON SCHEMA public TO ${name};`,
    ]);
    await execute(statementsIn(message), superuser);
    expect(await check(url)).toBe('fits');
    await migrate(url, migrations, createLogger({ logLevel: 'silent' }));
  });

  it('finds a schema of the role’s own name, and the absence of public', async () => {
    const { name, url, superuser } = await createRoleAndDatabase();
    await execute(
      [`alter database ${name} owner to ${name}`, `create schema ${name} authorization ${name}`],
      superuser,
    );
    const message = await check(url);
    expect(message).toMatch(/whose search_path begins with the schema t_/);
    await execute(statementsIn(message), url);
    expect(await check(url)).toBe('fits');
    await execute(['drop schema public'], superuser);
    const absent = await check(url);
    await execute(statementsIn(absent), superuser);
    expect(await check(url)).toBe('fits');
  });

  it('finds tables that belong to another role', async () => {
    const { name, url, superuser } = await createRoleAndDatabase();
    await migrate(superuser, migrations, createLogger({ logLevel: 'silent' }));
    await execute([`alter database ${name} owner to ${name}`], superuser);
    const message = await check(url);
    expect(message).toMatch(/but the tables of the database t_\w+ belong to the role postgres/);
    await execute(statementsIn(message), superuser);
    expect(await check(url)).toBe('fits');
    await execute([`revoke postgres from ${name}`]);
  });

  it('finds an encoding other than UTF-8, and gives the statement that creates a database', async () => {
    const { name, superuser } = await createRoleAndDatabase(`encoding 'LATIN1' locale_provider libc locale 'C'`);
    const message = await check(superuser);
    expect(message).toMatch(/^DATABASE_URL points at a database with the encoding LATIN1, but posts need UTF8/);
    await execute(statementsIn(message).map((statement) => statement.replace('crosspost', `${name}_utf8`)));
    drops.push(`drop database ${name}_utf8`);
    expect(await check(superuser.replace(`/${name}`, `/${name}_utf8`))).toBe('fits');
  });

  it('refuses more connections than the server, the role or the database allows', async () => {
    const { name, url, superuser } = await createRoleAndDatabase();
    await execute([`alter database ${name} owner to ${name}`], superuser);
    expect(await check(url, 1_000)).toMatch(
      /^DATABASE_POOL is 1000, but the server at DATABASE_URL allows 197 connections \(max_connections of the server/,
    );
    await execute([`alter role ${name} connection limit 10`]);
    expect(await check(url, 11)).toMatch(
      /allows 10 connections \(CONNECTION LIMIT of the role .* Set DATABASE_POOL to 10/,
    );
    expect(await check(url, 10)).toBe('fits');
    await execute([`alter database ${name} connection limit 5`]);
    expect(await check(url, 10)).toMatch(
      /allows 5 connections \(CONNECTION LIMIT of the database .*\)\. Raise that limit/,
    );
  });

  it('warns if the connections would fit, but others hold them', async () => {
    const { name, url, superuser } = await createRoleAndDatabase();
    await execute([`alter database ${name} owner to ${name}`, `alter role ${name} connection limit 10`], superuser);
    const warnings: object[] = [];
    const log: Log = { ...silentLog, warn: (context) => void warnings.push(context) };
    expect(await check(url, 10, log)).toBe('fits');
    expect(warnings).toEqual([]);
    const text = 'select from pg_stat_activity where usename = $1';
    const observer = new Client({ connectionString: superuser });
    await observer.connect();
    await until(
      'the connection of the check has ended',
      async () => (await observer.query(text, [name])).rowCount === 0,
    );
    await observer.end();
    const other = new Client({ connectionString: url });
    await other.connect();
    expect(await check(url, 10, log)).toBe('fits');
    expect(warnings).toEqual([
      { limit: expect.stringContaining('of the role') as string, most: 10, used: 1, wanted: 10 },
    ]);
    await other.end();
  });

  it('finds a pooler in transaction mode', async () => {
    const pooler = await TransactionPooler.start(server.connectionString);
    try {
      const message = await check(pooler.through(server.connectionString));
      expect(message).toMatch(/^DATABASE_URL points at a pooler in transaction mode.*pool_mode = session/);
    } finally {
      await pooler.stop();
    }
  });
});
