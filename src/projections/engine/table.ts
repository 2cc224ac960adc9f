import type { ColumnType } from './column-arrays.js';
import type { RowTable } from './rows.js';

/** A column of a read model's table. `Value` is the type of its values. */
export interface Column<Value = unknown> {
  readonly type: ColumnType | 'text[]';
  readonly isNullable: boolean;
  readonly isFixed: boolean;
  /** Never set; only carries the type. */
  readonly value?: Value;
}

/** Columns of a table, by name. */
export type Columns = Readonly<Record<string, Column>>;

/** A row of a table with these columns. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never;
};

/** A string, or one of a set of strings. */
export const text = <Value extends string = string>(): Column<Value> => column('text');
/** An integer below 2^31. */
export const int = (): Column<number> => column('int');
/** An integer up to 2^53. */
export const bigint = (): Column<number> => column('bigint');
/** An integer too large for JSON, such as a position. Rows hold it as a string of digits. */
export const bigintDigits = (): Column<string> => column('bigint');
/** A floating-point number. */
export const double = (): Column<number> => column('double precision');
/** True or false. */
export const boolean = (): Column<boolean> => column('boolean');
/** A JSON value. */
export const jsonb = <Value extends object>(): Column<Value> => column('jsonb');
/** A list of strings. */
export const texts = <Value extends string = string>(): Column<readonly Value[]> => column('text[]');

/** A column that may be null. */
export const nullable = <Value>(of: Column<Value>): Column<Value | null> => ({ ...of, isNullable: true });
/** A column that never changes after the insert. */
export const fixed = <Value>(of: Column<Value>): Column<Value> => ({ ...of, isFixed: true });

const column = <Value>(type: Column['type']): Column<Value> => ({ type, isNullable: false, isFixed: false });

/** A table for `Rows`, and the SQL that creates it. */
export interface Table<C extends Columns> extends RowTable<RowOf<C>> {
  /** `create table` statement. */
  readonly ddl: string;
  /** Never set; only carries the type. */
  readonly row?: RowOf<C>;
}

/** A row of a table. */
export type RowOfTable<T extends { readonly row?: object }> = NonNullable<T['row']>;

interface TableShape<C extends Columns> {
  readonly name: string;
  /** The primary key, a text column. */
  readonly key: keyof C & string;
  /** SQL of columns that the database fills in; rows do not contain them. */
  readonly computed?: readonly string[];
  /** Percentage of each page that inserts may fill; the rest is left for updates. Default: PostgreSQL's own. */
  readonly fillfactor?: number;
  /** True for a frequently updated table: see {@link RowTable.types}. */
  readonly isHot?: boolean;
}

/** Defines a table: its SQL, the columns that `Rows` writes, and the type of its rows. */
export const defineTable = <C extends Columns>(shape: TableShape<C>, columns: C): Table<C> => {
  const { name, key, computed = [], fillfactor, isHot = false } = shape;
  const names = Object.keys(columns) as (keyof C & string)[];
  const lines = names.map((each) => (each === key ? `${each} text primary key` : describeColumn(each, columns[each]!)));
  const storage = fillfactor === undefined ? '' : ` with (fillfactor = ${fillfactor})`;
  return {
    name,
    key,
    columns: names,
    fixed: names.filter((each) => columns[each]!.isFixed),
    ...(isHot && { types: typesOf(columns) }),
    ddl: `create table ${name} (\n    ${[...lines, ...computed].join(',\n    ')}\n  )${storage};`,
  };
};

/** Returns the SQL that defines the columns, for a table with a composite key. */
export const describeColumns = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, of]) => describeColumn(name, of))
    .join(', ');

const describeColumn = (name: string, { type, isNullable }: Column): string =>
  `${name} ${type}${isNullable ? '' : ' not null'}`;

/** Returns the SQL types of columns, for writing their values as arrays. @throws Error for list columns */
export const typesOf = <C extends Columns>(columns: C): Readonly<Record<keyof C & string, ColumnType>> => {
  const types = Object.entries(columns).map(([name, { type }]) => {
    if (type === 'text[]') throw new Error(`the column ${name} is a list: its table cannot be written as arrays`);
    return [name, type];
  });
  return Object.fromEntries(types) as Record<keyof C & string, ColumnType>;
};
