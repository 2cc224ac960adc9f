import { BoundedCache } from '../../runtime/bounded-cache.js';

/** The cached rows of one table, by key. */
export type CachedTable<Row extends object> = Pick<BoundedCache<Row>, 'get' | 'set' | 'delete'>;

/** Maximum number of cached rows per table; the rows that were written longest ago are evicted first. */
const MAX_ROWS = 5_000;

/**
 * Caches the rows that the batches of one run have written, so that later batches need not read them again. The cache
 * is valid as long as no other runner writes the tables, which the checkpoint's fence guarantees. After an error it is
 * discarded together with its run.
 */
export class RowCache {
  private readonly tables = new Map<string, BoundedCache<object>>();

  /** Returns the cache of one table. */
  tableNamed<Row extends object>(name: string): CachedTable<Row> {
    const known = this.tables.get(name) as BoundedCache<Row> | undefined;
    if (known) return known;
    const table = new BoundedCache<Row>(MAX_ROWS);
    this.tables.set(name, table);
    return table;
  }
}
