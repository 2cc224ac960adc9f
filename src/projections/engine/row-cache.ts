/** Rows of one table as they stand, by key. */
export type KeptTable<Row> = Pick<Map<string, Row>, 'get' | 'set' | 'delete'>;

/** Rows that are kept of each table, at most: those that were written longest ago go first. */
const KEPT = 5_000;

/**
 * Rows as the batches of one run have left them: what a runner has written itself, it need not read again. They hold for
 * as long as nobody else writes the tables, which the fence of the checkpoint tells; after an error they are dropped with
 * the run that they belong to.
 */
export class KeptRows {
  private readonly tables = new Map<string, Map<string, object>>();

  /** What is kept of a table. */
  of<Row extends object>(name: string): KeptTable<Row> {
    const table = (this.tables.get(name) ?? new Map<string, object>()) as Map<string, Row>;
    this.tables.set(name, table);
    return {
      get: (key) => table.get(key),
      set: (key, row) => {
        table.delete(key);
        if (table.size >= KEPT) table.delete(table.keys().next().value!);
        return table.set(key, row);
      },
      delete: (key) => table.delete(key),
    };
  }
}
