import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { createPool } from '../../src/postgres/pool.js';
import { startTestPostgres } from '../support/postgres.js';
import { TABLES } from './forgeries.js';

/** A history and its transparency log in a separate database. */
export interface HistoryCopy {
  readonly pool: Pool;
  readonly store: PostgresEventStore;
  close(): Promise<void>;
}

/** Copies a consistent snapshot of a history to a new database. */
export const copyHistory = async (source: Pick<Pool, 'connect'>): Promise<HistoryCopy> => {
  const postgres = await startTestPostgres({ migrated: true });
  const { connectionString } = postgres;
  const logger = createLogger({ logLevel: 'error' });
  const pool = createPool(connectionString, { max: 4, applicationName: 'copy of a history', logger });
  const reader = await source.connect();
  try {
    await reader.query('begin isolation level repeatable read');
    for (const table of TABLES) {
      const { rows } = await reader.query<{ row: string }>(`select t::text as row from ${table} t`);
      await pool.query(`insert into ${table} select (row::${table}).* from unnest($1::text[]) row`, [
        rows.map(({ row }) => row),
      ]);
    }
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  const store = new PostgresEventStore({ connectionString });
  return {
    pool,
    store,
    async close() {
      await store.close();
      await pool.end();
      await postgres.stop();
    },
  };
};
