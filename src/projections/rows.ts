import { jsonText } from './json-text.js';
import type { Tx } from './projection.js';

/**
 * The rows of one table that a batch touches: loaded in one statement, changed in memory in the order of the events,
 * written back in one statement. Rows are plain JSON; positions are kept as text, which JSON numbers cannot hold.
 */
export class Rows<Row extends object> {
  private readonly rows = new Map<string, Row>();
  private readonly changed = new Set<string>();
  private readonly removed = new Set<string>();

  private constructor(
    private readonly tx: Tx,
    private readonly table: RowTable<Row>,
  ) {}

  /** Loads the rows with these keys; those that are not there are simply absent. */
  static async load<Row extends object>(tx: Tx, table: RowTable<Row>, keys: Iterable<string>): Promise<Rows<Row>> {
    const rows = new Rows(tx, table);
    await rows.also(keys);
    return rows;
  }

  /** Loads more rows; what is in hand already stays as it is. */
  async also(keys: Iterable<string>): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !this.rows.has(key) && !this.removed.has(key));
    if (missing.length === 0) return;
    const { name, key } = this.table;
    const found = await this.tx.query<{ rows: Row[] | null }>({
      name: `load ${name}`,
      text: `select json_agg(t) as rows from ${name} t where ${key} = any($1)`,
      values: [missing],
    });
    for (const row of found.rows[0]?.rows ?? []) this.rows.set(this.keyOf(row), row);
  }

  get(key: string): Row | undefined {
    return this.rows.get(key);
  }

  values(): IterableIterator<Row> {
    return this.rows.values();
  }

  put(row: Row): Row {
    const key = this.keyOf(row);
    this.rows.set(key, row);
    this.changed.add(key);
    this.removed.delete(key);
    return row;
  }

  /** Changes a row in hand; answers undefined where it is not there. */
  patch(key: string, change: Partial<Row>): Row | undefined {
    const row = this.rows.get(key);
    return row && this.put({ ...row, ...change });
  }

  remove(key: string): void {
    if (!this.rows.delete(key)) return;
    this.changed.delete(key);
    this.removed.add(key);
  }

  /** Lets rows go that a statement has changed behind our back; load them again with {@link also}. */
  forget(keys: Iterable<string>): void {
    for (const key of keys) this.rows.delete(key);
  }

  /** Writes what has changed; the rows stay in hand. */
  async flush(): Promise<void> {
    const { name, key, columns } = this.table;
    if (this.removed.size > 0) {
      const text = `delete from ${name} where ${key} = any($1)`;
      await this.tx.query({ name: `delete ${name}`, text, values: [[...this.removed]] });
      this.removed.clear();
    }
    if (this.changed.size > 0) {
      const list = columns.join(', ');
      const rows = jsonText([...this.changed].map((changed) => this.rows.get(changed)));
      const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
      await this.tx.query({
        name: `save ${name}`,
        text: `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, $1::json)
               on conflict (${key}) do update set ${set.join(', ')}`,
        values: [rows],
      });
      this.changed.clear();
    }
  }

  private keyOf(row: Row): string {
    return row[this.table.key] as string;
  }
}

/** A table as {@link Rows} needs to know it: name, text primary key, all columns. */
export interface RowTable<Row extends object> {
  readonly name: string;
  readonly key: keyof Row & string;
  readonly columns: readonly (keyof Row & string)[];
}
