import { createLogger } from '../../../src/config/logger.js';
import { createPool, withTransaction } from '../../../src/postgres/pool.js';
import { Rows, type RowTable } from '../../../src/projections/engine/rows.js';
import { startTestPostgres } from '../../support/postgres.js';

const first: RowTable<{ id: string; a: number }> = { name: 'channel', key: 'id', columns: ['id', 'a'] };
const second: RowTable<{ id: string; b: number }> = { name: 'channel', key: 'id', columns: ['id', 'b'] };

it('tables of two projections with the same name use one connection in turn', async () => {
  const postgres = await startTestPostgres();
  const logger = createLogger({ logLevel: 'silent' });
  const pool = createPool(postgres.connectionString, { max: 1, applicationName: 'rows-spec', logger });
  await pool.query(`create schema one; create table one.channel (id text primary key, a int);
                    create schema two; create table two.channel (id text primary key, b int)`);
  const write = <Row extends { id: string }>(
    schema: string,
    table: RowTable<Row>,
    row: Row,
  ): Promise<Row | undefined> =>
    withTransaction(pool, async (tx) => {
      await tx.query(`set local search_path to ${schema}`);
      const rows = await Rows.load(tx, table, [row.id]);
      const before = rows.get(row.id);
      rows.put(row);
      await rows.flush();
      return before;
    });
  for (const round of [1, 2, 3]) {
    const before = [
      await write('one', first, { id: 'x', a: round }),
      await write('two', second, { id: 'x', b: -round }),
    ];
    expect(before).toEqual(
      round === 1
        ? [undefined, undefined]
        : [
            { id: 'x', a: round - 1 },
            { id: 'x', b: 1 - round },
          ],
    );
  }
  await pool.end();
  await postgres.stop();
});
