import { BoundedCache } from '../../runtime/bounded-cache.js';

/** Maximum number of cached rows per table. */
const MAX_ROWS = 5_000;

/**
 * Caches the rows that the batches of a run have read or written, so that later batches need not read them again. The
 * checkpoint fence keeps the cache valid, because no other runner can write to the tables. After an error, the cache is
 * discarded with its run.
 */
export class RowCache {
  private readonly tables = new Map<string, BoundedCache<object>>();

  /** Returns the cached rows of a table, by key. */
  tableNamed<Row extends object>(name: string): BoundedCache<Row> {
    const table = this.tables.get(name) ?? new BoundedCache(MAX_ROWS);
    this.tables.set(name, table);
    return table as BoundedCache<Row>;
  }
}
