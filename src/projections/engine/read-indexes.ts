import type { Pool } from 'pg';
import { unhurried, withTransaction } from '../../postgres/pool.js';
import { type Projection, tableSchema } from './projection.js';

/** Creates the readers' indexes that a version does not have yet, however long it takes. */
export const createReadIndexes = async (
  pool: Pool,
  { name, readIndexes }: Projection,
  version: number,
): Promise<void> => {
  if (readIndexes === undefined) return;
  await withTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local search_path to ${tableSchema(name, version)}`);
    await tx.query(unhurried(readIndexes));
  });
};
