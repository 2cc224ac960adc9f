import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { createPool, unhurried, withTransaction } from '../../src/postgres/pool.js';
import { findLastingError, findStorageError, isUnavailable } from '../../src/postgres/unavailable.js';
import { freePort } from '../support/free-port.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const logger = createLogger({ logLevel: 'silent' });
const catchError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('isUnavailable', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    pool = createPool(postgres.connectionString, { max: 2, applicationName: 'unavailable-spec', logger });
    await pool.query('create table once_only (n int primary key)');
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  const poolOn = (port: number, options: { statementTimeoutMs?: number } = {}): Pool => {
    const url = new URL(postgres.connectionString);
    url.port = String(port);
    return createPool(url.href, { max: 1, applicationName: 'unavailable-spec', logger, ...options });
  };

  it('is true if nothing listens, for an address and for a name with two addresses', async () => {
    const port = await freePort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = new URL(postgres.connectionString);
      url.host = `${host}:${port}`;
      const gone = createPool(url.href, { max: 1, applicationName: 'unavailable-spec', logger });
      expect(isUnavailable(await catchError(gone.query('select 1')))).toBe(true);
      await gone.end();
    }
  });

  it('is true if a name cannot be resolved', async () => {
    const url = new URL(postgres.connectionString);
    url.hostname = 'nowhere.invalid';
    const lost = createPool(url.href, { max: 1, applicationName: 'unavailable-spec', logger });
    expect(isUnavailable(await catchError(lost.query('select 1')))).toBe(true);
    await lost.end();
  });

  it('is true if the connection is reset or closed, before or after the handshake', async () => {
    for (const end of [(s: Socket) => s.resetAndDestroy(), (s: Socket) => s.end()]) {
      const { server, port } = await startServer((socket) => socket.once('data', () => end(socket)));
      const broken = poolOn(port);
      expect(isUnavailable(await catchError(broken.query('select 1')))).toBe(true);
      await broken.end();
      server.close();
    }
  });

  it('is true if the server ends the connection during a query or a transaction, and the pool continues', async () => {
    const asleep = catchError(pool.query('select pg_sleep(30) /* victim */'));
    await until(async () => {
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%victim *' || '/%' and pid <> pg_backend_pid()`,
      );
      return false;
    }, asleep);
    expect(isUnavailable(await asleep)).toBe(true);
    const inside = catchError(
      withTransaction(pool, async (tx) => {
        await tx.query('insert into once_only values (1)');
        await tx.query('select pg_terminate_backend(pg_backend_pid())');
      }),
    );
    expect(isUnavailable(await inside)).toBe(true);
    expect((await pool.query('select n from once_only')).rows).toEqual([]);
  });

  it('is true if a connection breaks while its user is not using it', async () => {
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await until(
      async () => client.listenerCount('error') > 0 && isUnavailable(await catchError(client.query('select 1'))),
    );
    client.release(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is true if a response takes too long, by the server’s timeout or the client’s', async () => {
    const hurried = poolOn(Number(new URL(postgres.connectionString).port), { statementTimeoutMs: 50 });
    // Only the server's timeout: on a busy machine the client's may come first.
    const error = await catchError(hurried.query(unhurried('select pg_sleep(300)')));
    expect(error).toMatchObject({ code: '57014' });
    expect(isUnavailable(error)).toBe(true);
    await hurried.end();
    expect(isUnavailable(new Error('Query read timeout'))).toBe(true);
    expect(isUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
  });

  it('is true if the server accepts no more connections', async () => {
    const url = new URL(postgres.connectionString);
    const name = url.pathname.slice(1);
    await pool.query('create role lonely login password $$x$$ connection limit 0');
    await pool.query(`grant all on database ${name} to lonely`);
    url.username = 'lonely';
    url.password = 'x';
    const rejectedPool = createPool(url.href, { max: 1, applicationName: 'unavailable-spec', logger });
    const error = await catchError(rejectedPool.query('select 1'));
    expect(error).toMatchObject({ code: '53300' });
    expect(isUnavailable(error)).toBe(true);
    await rejectedPool.end();
  });

  it('is false for errors of the statement, and for errors that are not of a database', async () => {
    await pool.query('insert into once_only values (7)');
    for (const sql of ['insert into once_only values (7)', 'selec', 'select 1 / 0', 'select * from nothing_here'])
      expect(isUnavailable(await catchError(pool.query(sql)))).toBe(false);
    expect(isUnavailable(new Error('anything'))).toBe(false);
    expect(isUnavailable(undefined)).toBe(false);
  });
});

describe('errors that people must remove', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    pool = createPool(postgres.connectionString, { max: 1, applicationName: 'unavailable-spec', logger });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  const raise = (sqlstate: string): Promise<unknown> =>
    catchError(pool.query(`do $$ begin raise exception 'no' using errcode = '${sqlstate}'; end $$`));

  it.each(['53100', '58030', '25006', '58P01', 'XX001', 'XX002'])('%s: the server cannot store', async (code) => {
    const error = await raise(code);
    expect(findStorageError(error)).toEqual({ code, message: 'no' });
    expect(findLastingError(error)).toEqual({ code, message: 'no' });
  });

  it.each(['42501', '42P01', '42883', '3F000', '28P01', '3D000'])('%s: rights or setup', async (code) => {
    const error = await raise(code);
    expect(findStorageError(error)).toBeNull();
    expect(findLastingError(error)).toEqual({ code, message: 'no' });
  });

  it.each(['53300', '57P01', '57014', '40P01', '55P03', '22021', '23505'])('%s: not among them', async (code) => {
    expect(findLastingError(await raise(code))).toBeNull();
  });

  it('are errors of a server, not of Node', () => {
    expect(findLastingError(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toBeNull();
    expect(findLastingError(null)).toBeNull();
  });
});

const startServer = (serve: (socket: Socket) => void): Promise<{ server: Server; port: number }> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    server.listen(0, '127.0.0.1', () => resolve({ server, port: (server.address() as { port: number }).port }));
  });

/** Repeats until the condition holds or the other promise is settled. */
const until = async (condition: () => Promise<boolean>, settled?: Promise<unknown>): Promise<void> => {
  let isSettled = false;
  void settled?.then(() => (isSettled = true));
  while (!isSettled && !(await condition())) await sleep(10);
};
