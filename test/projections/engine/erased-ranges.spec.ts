import { createLogger } from '../../../src/config/logger.js';
import { createPool, withTransaction } from '../../../src/postgres/pool.js';
import { inRanges, RANGE } from '../../../src/projections/engine/erased-content.js';
import { startTestPostgres } from '../../support/postgres.js';

it('an erasure looks at every row of an owner once, and at few of them at a time', async () => {
  const postgres = await startTestPostgres();
  const logger = createLogger({ logLevel: 'silent' });
  const pool = createPool(postgres.connectionString, { max: 1, applicationName: 'erased-ranges-spec', logger });
  const count = 2 * RANGE + 1;
  await pool.query(`create table thing (id bigint primary key, owner text)`);
  await pool.query(
    `insert into thing select i, case when i % 2 = 0 then 'a' else 'b' end from generate_series(1, $1) i`,
    [2 * count],
  );
  const own = { table: 'thing', of: 'owner', key: 'id', first: '-1' };
  const ranges: number[] = [];
  await withTransaction(pool, (tx) =>
    inRanges(tx, own, 'a', async (after, last) => {
      const sql = `delete from thing where owner = 'a' and id > $1 and id <= $2`;
      ranges.push((await tx.query(sql, [after, last])).rowCount!);
    }),
  );
  expect(ranges).toEqual([RANGE, RANGE, 1]);
  expect((await pool.query('select owner, count(*)::int from thing group by owner')).rows).toEqual([
    { owner: 'b', count },
  ]);
  await pool.end();
  await postgres.stop();
});
