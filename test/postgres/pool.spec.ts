import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { createPool, withTransaction } from '../../src/postgres/pool.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const logger = createLogger({ logLevel: 'silent' });

describe('a pool', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    pool = createPool(postgres.connectionString, { max: 3, applicationName: 'pool-spec', logger });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  it('reads int8 as bigint, in arrays too, and other types as pg does', async () => {
    const { rows } = await pool.query(
      `select 9007199254740993::int8 as position, array[array[1, null], array[-9007199254740993, 4]]::int8[] as positions, 7 as small`,
    );
    expect(rows).toEqual([
      {
        position: 9007199254740993n,
        positions: [
          [1n, null],
          [-9007199254740993n, 4n],
        ],
        small: 7,
      },
    ]);
  });

  it('logs a lost idle connection, but not while it closes its connections itself', async () => {
    const logged: string[] = [];
    const warn = (_: object, message: string): void => void logged.push(message);
    const options = { max: 2, applicationName: 'pool-spec-idle', logger: { ...logger, warn, debug() {} } as never };
    const other = createPool(postgres.connectionString, options);
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const lost = new Promise((resolve) => other.once('error', resolve));
    await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await lost;
    expect(logged).toEqual(['lost an idle database connection']);

    await other.query('select 1');
    const ended = other.end();
    other.emit('error', new Error('terminating connection due to administrator command'), undefined);
    await ended;
    expect(logged).toHaveLength(1);
  });

  it('commits a whole transaction or nothing of it', async () => {
    await pool.query('create table kept (n int)');
    await expect(
      withTransaction(pool, async (tx) => {
        await tx.query('insert into kept values (1)');
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await withTransaction(pool, (tx) => tx.query('insert into kept values (2)'))).toMatchObject({ rowCount: 1 });
    expect((await pool.query('select n from kept')).rows).toEqual([{ n: 2 }]);
  });
});
