import { textArray } from '../../postgres/binary-array.js';
import { toJsonText } from './json-text.js';

/** SQL types of the columns that {@link encodeColumns} can encode. */
export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean' | 'double precision' | 'jsonb';

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
