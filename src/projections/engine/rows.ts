import { toJsonText } from './json-text.js';
import type { RowCache, CachedTable } from './row-cache.js';
import type { Tx } from './projection.js';

/**
 * The rows of one table that a batch changes. They are loaded by one statement, changed in memory in the order of the
 * events, and written back by one statement for new rows and one for existing rows. Rows are plain JSON. Positions are
 * stored as text, as they exceed JSON numbers.
 */
export class Rows<Row extends object> {
  private readonly rows = new Map<string, Row>();
  /** Keys of the rows that exist in the table. */
  private readonly stored = new Set<string>();
  private readonly changed = new Set<string>();
  private readonly removed = new Set<string>();

  private constructor(
    private readonly tx: Tx,
    private readonly table: RowTable<Row>,
    private readonly cache: CachedTable<Row> | undefined,
  ) {}

  /**
   * Loads the rows with these keys; keys without a row are absent.
   * @param cache rows of earlier batches, which are not read again
   */
  static async load<Row extends object>(
    tx: Tx,
    table: RowTable<Row>,
    keys: Iterable<string>,
    cache?: RowCache,
  ): Promise<Rows<Row>> {
    const rows = new Rows(tx, table, cache?.tableNamed<Row>(table.name));
    await rows.loadMore(keys);
    return rows;
  }

  /** Loads more rows; rows that are loaded already keep their changes. */
  async loadMore(keys: Iterable<string>): Promise<void> {
    const missing: string[] = [];
    for (const key of new Set(keys)) {
      if (this.rows.has(key) || this.removed.has(key)) continue;
      const cached = this.cache?.get(key);
      if (cached) this.addStored(cached);
      else missing.push(key);
    }
    if (missing.length === 0) return;
    const { name, key } = this.table;
    const found = await this.tx.query<{ rows: Row[] | null }>({
      name: statementName('load', this.table),
      text: `select json_agg(t) as rows from ${name} t where ${key} = any($1)`,
      values: [missing],
    });
    for (const row of found.rows[0]?.rows ?? []) this.cacheRow(this.addStored(row));
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

  /** Changes a loaded row; returns undefined if there is none. */
  patch(key: string, change: Partial<Row>): Row | undefined {
    const row = this.rows.get(key);
    return row && this.put({ ...row, ...change });
  }

  remove(key: string): void {
    if (!this.rows.delete(key)) return;
    this.changed.delete(key);
    this.removed.add(key);
  }

  /** Drops rows that a statement has changed in the table; {@link loadMore} loads them again. */
  evict(keys: Iterable<string>): void {
    for (const key of keys) {
      this.rows.delete(key);
      this.cache?.delete(key);
    }
  }

  /** Writes all changes to the table; the rows stay loaded. */
  async flush(): Promise<void> {
    const { name, key } = this.table;
    if (this.removed.size > 0) {
      const text = `delete from ${name} where ${key} = any($1)`;
      await this.tx.query({ name: statementName('delete', this.table), text, values: [[...this.removed]] });
      for (const removed of this.removed) {
        this.stored.delete(removed);
        this.cache?.delete(removed);
      }
      this.removed.clear();
    }
    const added: Row[] = [];
    const updated: Row[] = [];
    for (const changed of this.changed) (this.stored.has(changed) ? updated : added).push(this.rows.get(changed)!);
    this.changed.clear();
    for (const rows of divide(updated, MAX_WRITTEN)) await this.update(rows);
    for (const rows of divide(added, MAX_WRITTEN)) await this.insert(rows);
  }

  /** Updates existing rows. A plain update locks each row once and omits the columns that never change. */
  private async update(rows: readonly Row[]): Promise<void> {
    const { name, key, columns, fixed = [] } = this.table;
    const changing = columns.filter((column) => column !== key && !fixed.includes(column));
    const set = changing.map((column) => `${column} = ${valueOf(this.table, column)}`);
    await this.tx.query({
      name: statementName('update', this.table),
      text: `update ${name} t set ${set.join(', ')}
             from ${recordset(this.table, [key, ...changing])} where t.${key} = r.${key}`,
      values: [toJsonText(rows.map((row) => pickColumns(row, [key, ...changing])))],
    });
    for (const row of rows) this.cacheRow(row);
  }

  /** Inserts new rows. A key that was never loaded may still exist in the table, hence the conflict clause. */
  private async insert(rows: readonly Row[]): Promise<void> {
    const { name, key, columns } = this.table;
    const list = columns.join(', ');
    const values = columns.map((column) => valueOf(this.table, column)).join(', ');
    const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
    await this.tx.query({
      name: statementName('insert', this.table),
      text: `insert into ${name} (${list}) select ${values} from ${recordset(this.table, columns)}
             on conflict (${key}) do update set ${set.join(', ')}`,
      values: [toJsonText(rows)],
    });
    for (const row of rows) this.cacheRow(this.addStored(row));
  }

  /** Adds a row that exists in the table. */
  private addStored(row: Row): Row {
    const key = this.keyOf(row);
    this.rows.set(key, row);
    this.stored.add(key);
    return row;
  }

  private cacheRow(row: Row): void {
    this.cache?.set(this.keyOf(row), row);
  }

  private keyOf(row: Row): string {
    return row[this.table.key] as string;
  }
}

/** The definition of a table for {@link Rows}: name, text primary key, all columns. */
export interface RowTable<Row extends object> {
  readonly name: string;
  readonly key: keyof Row & string;
  readonly columns: readonly (keyof Row & string)[];
  /** Columns that never change after the insert: updates omit them. */
  readonly fixed?: readonly (keyof Row & string)[];
  /**
   * SQL types of all columns. For tables with jsonb columns that many events change: PostgreSQL converts a jsonb column of a
   * named row type more slowly than JSON text that is cast.
   */
  readonly types?: Readonly<Record<keyof Row & string, 'text' | 'int' | 'bigint' | 'jsonb'>>;
}

/** Most rows that one statement writes: encoding more at a time would block the event loop. */
const MAX_WRITTEN = 2_000;

const divide = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** SQL: the rows of a JSON array as `r`. */
const recordset = <Row extends object>(
  { name, types }: RowTable<Row>,
  columns: readonly (keyof Row & string)[],
): string => {
  if (!types) return `json_populate_recordset(null::${name}, $1::json) r`;
  const typed = columns.map((column) => `${column} ${types[column] === 'jsonb' ? 'json' : types[column]}`);
  return `json_to_recordset($1::json) r(${typed.join(', ')})`;
};

/** SQL: a column of {@link recordset} in the type of the table. */
const valueOf = <Row extends object>({ types }: RowTable<Row>, column: keyof Row & string): string =>
  types?.[column] === 'jsonb' ? `r.${column}::jsonb` : `r.${column}`;

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/**
 * Returns the name of a prepared statement. Tables of several projections have the same name, and their connections are shared
 * (ADR-94); so the name contains a number of the table's definition.
 */
const statementName = (what: string, table: { readonly name: string }): string => {
  let number = numbers.get(table);
  if (number === undefined) numbers.set(table, (number = ++lastNumber));
  return `${what} ${table.name} ${number}`;
};

const pickColumns = <Row extends object>(row: Row, columns: readonly (keyof Row)[]): Partial<Row> => {
  const picked: Partial<Row> = {};
  for (const column of columns) picked[column] = row[column];
  return picked;
};
