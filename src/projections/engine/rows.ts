import { textArray } from '../../postgres/binary-array.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { executeWrites, type Tx, type Write } from './projection.js';

/** Escapes that JSON allows and PostgreSQL's jsonb rejects: U+0000 and unpaired surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Encodes rows as JSON text that PostgreSQL can store. Characters that it cannot store, such as half of an emoji in a
 * network's message, become U+FFFD; events keep the original.
 */
export const toJsonText = (rows: unknown): string => {
  const text = JSON.stringify(rows);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}|\u0000/gu, '\ufffd') : value,
  );
};

/** SQL types of the columns that {@link encodeColumns} can encode. */
export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean' | 'double precision' | 'jsonb' | 'tsvector';

/** Rows encoded as statement parameters from $1 on, and the SQL that exposes them as the table `r`. */
export interface EncodedRows<Column extends string> {
  readonly values: unknown[];
  readonly source: string;
  /** Returns SQL that converts a column to its type in the table. */
  readonly valueOf: (column: Column) => string;
}

/** Encodes rows column by column, with one array per column. */
export const encodeColumns = <Row extends object, Column extends keyof Row & string>(
  columns: readonly Column[],
  types: Readonly<Record<Column, ColumnType>>,
  rows: readonly Row[],
): EncodedRows<Column> => {
  const arrays = columns.map((column, i) => `$${i + 1}::${types[column] === 'jsonb' ? 'text' : types[column]}[]`);
  return {
    values: columns.map((column) => {
      const values = rows.map((row) => row[column]);
      return encodeColumn(types[column], values);
    }),
    source: `unnest(${arrays.join(', ')}) r(${columns.join(', ')})`,
    valueOf: (column) => (types[column] === 'jsonb' ? `r.${column}::jsonb` : `r.${column}`),
  };
};

/** Escapes that have a different meaning in a PostgreSQL array than in JSON. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Encodes values as a PostgreSQL array; undefined becomes null. A JSON array differs from a PostgreSQL array literal
 * only in its brackets and some escapes, so this reuses `JSON.stringify`. A binary array would be slower, because it
 * needs a call per value.
 */
const encodeColumn = (type: ColumnType, values: readonly unknown[]): string | Buffer => {
  const elements = type === 'jsonb' ? values.map(toJson) : values;
  const text = JSON.stringify(elements);
  if (!OTHER_ESCAPE.test(text)) return `{${text.slice(1, -1)}}`;
  return textArray(elements.map(toText));
};

/** Returns text that PostgreSQL can store: U+0000 becomes U+FFFD, like unpaired surrogates when written as UTF-8. */
const toText = (value: unknown): string | null => {
  if (typeof value !== 'string') return value === null || value === undefined ? null : JSON.stringify(value);
  return value.replaceAll('\0', '\ufffd');
};

const toJson = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) && value.length === 0 ? '[]' : toJsonText(value);
};

/**
 * The rows of one table that a batch changes. They are loaded in one statement, changed in memory in event order, and
 * written back in one statement for new rows and one for existing rows. Rows are plain JSON, with positions as text,
 * because they exceed the range of JSON numbers.
 */
export class Rows<Row extends object> {
  private readonly rows = new Map<string, Row>();
  /** The rows that exist in the table, as they are there; null if a statement has changed the row since. */
  private readonly stored = new Map<string, Row | null>();
  private readonly changed = new Set<string>();
  private readonly removed = new Set<string>();

  private constructor(
    private readonly tx: Tx,
    private readonly table: RowTable<Row>,
    private readonly cache: BoundedCache<Row> | undefined,
  ) {}

  /**
   * Loads the rows with the given keys; keys without a row are absent.
   * @param cache rows from earlier batches, which are not read again
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

  /** Loads more rows; rows that are already loaded keep their changes. */
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
      values: [textArray(missing)],
    });
    for (const row of found.rows[0]?.rows ?? []) this.cacheRow(this.addStored(row));
  }

  /** Loads the rows that meet an SQL condition; rows that are already loaded keep their changes. */
  async loadWhere(condition: string, values: readonly unknown[]): Promise<void> {
    const { name } = this.table;
    const found = await this.tx.query<{ rows: Row[] | null }>({
      name: statementName(`load ${condition}`, this.table),
      text: `select json_agg(t) as rows from ${name} t where ${condition}`,
      values: [...values],
    });
    for (const row of found.rows[0]?.rows ?? []) {
      const key = this.keyOf(row);
      if (!this.rows.has(key) && !this.removed.has(key)) this.addStored(row);
    }
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

  /** Changes a loaded row; returns undefined if there is none. A row that already has these values is not written. */
  patch(key: string, change: Partial<Row>): Row | undefined {
    const row = this.rows.get(key);
    if (!row || (Object.keys(change) as (keyof Row)[]).every((column) => row[column] === change[column])) return row;
    return this.put({ ...row, ...change });
  }

  remove(key: string): void {
    if (!this.rows.delete(key)) return;
    this.changed.delete(key);
    this.removed.add(key);
  }

  /** Discards loaded rows that a statement has changed or deleted directly in the table. */
  evict(keys: Iterable<string>): void {
    for (const key of keys) {
      this.rows.delete(key);
      if (this.stored.has(key)) this.stored.set(key, null);
      this.cache?.delete(key);
    }
  }

  /** Reloads rows that a statement has changed directly in the table. */
  reload(keys: readonly string[]): Promise<void> {
    this.evict(keys);
    return this.loadMore(keys);
  }

  /** Writes all changes to the table; the rows stay loaded. */
  flush(): Promise<void> {
    return executeWrites(this.tx, this.takeWrites());
  }

  /** Like {@link flush}, but returns the statements, to be executed in order. */
  takeWrites(): Write[] {
    const added: Row[] = [];
    const updated: Row[] = [];
    for (const changed of this.changed) (this.stored.has(changed) ? updated : added).push(this.rows.get(changed)!);
    this.changed.clear();
    return [
      ...this.deleteRemoved(),
      ...divide(updated, MAX_WRITTEN).flatMap((rows) => this.update(rows)),
      ...divide(added, MAX_WRITTEN).map((rows) => this.insert(rows)),
    ];
  }

  private deleteRemoved(): Write[] {
    if (this.removed.size === 0) return [];
    const { name, key } = this.table;
    const removed = [...this.removed];
    this.removed.clear();
    for (const each of removed) {
      this.stored.delete(each);
      this.cache?.delete(each);
    }
    const text = `delete from ${name} where ${key} = any($1)`;
    return [{ encode: () => ({ name: statementName('delete', this.table), text, values: [textArray(removed)] }) }];
  }

  /** Updates existing rows. A plain update locks each row once, and omits the columns that no row changes. */
  private update(rows: readonly Row[]): Write[] {
    const { name, key, columns, fixed = [] } = this.table;
    const before = rows.map((row) => this.stored.get(this.keyOf(row)));
    const isChanged = (column: keyof Row): boolean =>
      rows.some((row, i) => !before[i] || before[i][column] !== row[column]);
    const changing = columns.filter((column) => column !== key && !fixed.includes(column) && isChanged(column));
    if (changing.length === 0) return [];
    for (const row of rows) this.stored.set(this.keyOf(row), row);
    const encode = () => {
      const { values, source, valueOf } = encodeRows(this.table, [key, ...changing], rows);
      const set = changing.map((column) => `${column} = ${valueOf(column)}`);
      const text = `update ${name} t set ${set.join(', ')} from ${source} where t.${key} = r.${key}`;
      // Short, because PostgreSQL ignores all but the first 63 characters of a statement's name.
      const which = changing.reduce((sum, column) => sum + 2 ** columns.indexOf(column), 0).toString(36);
      return { name: statementName(`update ${which}`, this.table), text, values };
    };
    const onWritten = () => rows.forEach((row) => this.cacheRow(row));
    return [{ encode, onWritten }];
  }

  /** Inserts new rows. The conflict clause is for keys that exist in the table but were never loaded. */
  private insert(rows: readonly Row[]): Write {
    const { name, key, columns } = this.table;
    const encode = () => {
      const { values, source, valueOf } = encodeRows(this.table, columns, rows);
      const set = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
      const text = `insert into ${name} (${columns.join(', ')}) select ${columns.map(valueOf).join(', ')} from ${source}
                    on conflict (${key}) do update set ${set.join(', ')}`;
      return { name: statementName('insert', this.table), text, values };
    };
    const onWritten = () => rows.forEach((row) => this.cacheRow(this.addStored(row)));
    return { encode, onWritten };
  }

  private addStored(row: Row): Row {
    const key = this.keyOf(row);
    this.rows.set(key, row);
    this.stored.set(key, row);
    return row;
  }

  private cacheRow(row: Row): void {
    this.cache?.set(this.keyOf(row), row);
  }

  private keyOf(row: Row): string {
    return row[this.table.key] as string;
  }
}

/** Table definition for {@link Rows}. */
export interface RowTable<Row extends object> {
  readonly name: string;
  /** The primary key, a text column. */
  readonly key: keyof Row & string;
  readonly columns: readonly (keyof Row & string)[];
  /** Columns that updates omit, because they never change after the insert. */
  readonly fixed?: readonly (keyof Row & string)[];
  /**
   * SQL types of all columns; set for frequently updated tables. Rows are then written as column arrays, which
   * PostgreSQL reads several times faster than JSON (ADR-185).
   */
  readonly types?: Readonly<Record<keyof Row & string, ColumnType>>;
}

/** Maximum number of rows per statement. Encoding more at once would block the event loop. */
const MAX_WRITTEN = 2_000;

const divide = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Encodes columns of rows: as arrays if the table defines their types, otherwise as JSON. */
const encodeRows = <Row extends object>(
  { name, types }: RowTable<Row>,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): EncodedRows<keyof Row & string> => {
  if (types) return encodeColumns(columns, types, rows);
  return {
    values: [toJsonText(rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]]))))],
    source: `json_populate_recordset(null::${name}, $1::json) r`,
    valueOf: (column) => `r.${column}`,
  };
};

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/**
 * Returns the name of a prepared statement. Tables of different projections may have the same name and share
 * connections (ADR-94), so the statement name includes a number that identifies the table definition.
 */
const statementName = (what: string, table: { readonly name: string }): string => {
  let number = numbers.get(table);
  if (number === undefined) numbers.set(table, (number = ++lastNumber));
  return `${what} ${table.name} ${number}`;
};

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

  /** Discards all rows, because a statement has changed many of them directly in their tables. */
  clear(): void {
    this.tables.clear();
  }
}
