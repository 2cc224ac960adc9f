import { jsonText } from './json-text.js';
import type { KeptRows, KeptTable } from './row-cache.js';
import type { Tx } from './projection.js';

/**
 * The rows of one table that a batch touches: loaded in one statement, changed in memory in the order of the events,
 * written back in one statement for those that are new and one for those that were there. Rows are plain JSON; positions are
 * kept as text, which JSON numbers cannot hold.
 */
export class Rows<Row extends object> {
  private readonly rows = new Map<string, Row>();
  /** Keys that the table has. */
  private readonly stored = new Set<string>();
  private readonly changed = new Set<string>();
  private readonly removed = new Set<string>();

  private constructor(
    private readonly tx: Tx,
    private readonly table: RowTable<Row>,
    private readonly kept: KeptTable<Row> | undefined,
  ) {}

  /**
   * Loads the rows with these keys; those that are not there are simply absent.
   * @param kept what earlier batches have left: it is not read again
   */
  static async load<Row extends object>(
    tx: Tx,
    table: RowTable<Row>,
    keys: Iterable<string>,
    kept?: KeptRows,
  ): Promise<Rows<Row>> {
    const rows = new Rows(tx, table, kept?.of<Row>(table.name));
    await rows.also(keys);
    return rows;
  }

  /** Loads more rows; what is in hand already stays as it is. */
  async also(keys: Iterable<string>): Promise<void> {
    const missing: string[] = [];
    for (const key of new Set(keys)) {
      if (this.rows.has(key) || this.removed.has(key)) continue;
      const kept = this.kept?.get(key);
      if (kept) this.hold(kept);
      else missing.push(key);
    }
    if (missing.length === 0) return;
    const { name, key } = this.table;
    const found = await this.tx.query<{ rows: Row[] | null }>({
      name: `load ${name}`,
      text: `select json_agg(t) as rows from ${name} t where ${key} = any($1)`,
      values: [missing],
    });
    for (const row of found.rows[0]?.rows ?? []) this.keep(this.hold(row));
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
    for (const key of keys) {
      this.rows.delete(key);
      this.kept?.delete(key);
    }
  }

  /** Takes up what a statement has changed in a row behind our back. */
  note(key: string, change: Partial<Row>): void {
    const row = this.rows.get(key);
    if (row) this.keep(this.hold({ ...row, ...change }));
    else this.kept?.delete(key);
  }

  /** Writes what has changed; the rows stay in hand. */
  async flush(): Promise<void> {
    const { name, key } = this.table;
    if (this.removed.size > 0) {
      const text = `delete from ${name} where ${key} = any($1)`;
      await this.tx.query({ name: `delete ${name}`, text, values: [[...this.removed]] });
      for (const removed of this.removed) {
        this.stored.delete(removed);
        this.kept?.delete(removed);
      }
      this.removed.clear();
    }
    const added: Row[] = [];
    const updated: Row[] = [];
    for (const changed of this.changed) (this.stored.has(changed) ? updated : added).push(this.rows.get(changed)!);
    this.changed.clear();
    if (updated.length > 0) await this.update(updated);
    if (added.length > 0) await this.insert(added);
  }

  /** Most rows are known: a plain update locks nothing twice, and carries nothing that stays for good. */
  private async update(rows: readonly Row[]): Promise<void> {
    const { name, key, columns, fixed = [] } = this.table;
    const changing = columns.filter((column) => column !== key && !fixed.includes(column));
    const set = changing.map((column) => `${column} = r.${column}`);
    await this.tx.query({
      name: `update ${name}`,
      text: `update ${name} t set ${set.join(', ')}
             from json_populate_recordset(null::${name}, $1::json) r where t.${key} = r.${key}`,
      values: [jsonText(rows.map((row) => only(row, [key, ...changing])))],
    });
    for (const row of rows) this.keep(row);
  }

  /** A key that was never loaded may be in the table all the same. */
  private async insert(rows: readonly Row[]): Promise<void> {
    const { name, key, columns } = this.table;
    const list = columns.join(', ');
    const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
    await this.tx.query({
      name: `insert ${name}`,
      text: `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, $1::json)
             on conflict (${key}) do update set ${set.join(', ')}`,
      values: [jsonText(rows)],
    });
    for (const row of rows) this.keep(this.hold(row));
  }

  /** Has a row in hand that the table has as well. */
  private hold(row: Row): Row {
    const key = this.keyOf(row);
    this.rows.set(key, row);
    this.stored.add(key);
    return row;
  }

  private keep(row: Row): void {
    this.kept?.set(this.keyOf(row), row);
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
  /** Columns that never change once a row is there: updates leave them out. */
  readonly fixed?: readonly (keyof Row & string)[];
}

const only = <Row extends object>(row: Row, columns: readonly (keyof Row)[]): Partial<Row> => {
  const picked: Partial<Row> = {};
  for (const column of columns) picked[column] = row[column];
  return picked;
};
