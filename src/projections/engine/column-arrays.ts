import { textArray } from '../../postgres/binary-array.js';
import { toJsonText } from './json-text.js';

/** SQL types of the columns that {@link encodeColumn} can encode. */
export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean' | 'double precision' | 'jsonb';

/** Escapes that have a different meaning in a PostgreSQL array than in JSON. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Encodes a column's values as a PostgreSQL array for {@link unnestColumns}; undefined becomes null. A JSON array
 * differs from a PostgreSQL array literal only in its brackets and some escapes, so this reuses `JSON.stringify`. A
 * binary array would be slower, because it needs a call per value.
 */
export const encodeColumn = (type: ColumnType, values: readonly unknown[]): string | Buffer => {
  const elements = type === 'jsonb' ? values.map(toJson) : values;
  const text = JSON.stringify(elements);
  if (!OTHER_ESCAPE.test(text)) return `{${text.slice(1, -1)}}`;
  return textArray(elements.map(toText));
};

/**
 * SQL: the rows of encoded columns as `r`, with parameters from $1 on. {@link columnValue} converts the columns that
 * are sent as text.
 */
export const unnestColumns = <Column extends string>(
  columns: readonly Column[],
  types: Readonly<Record<Column, ColumnType>>,
): string => {
  const arrays = columns.map((column, i) => `$${i + 1}::${types[column] === 'jsonb' ? 'text' : types[column]}[]`);
  return `unnest(${arrays.join(', ')}) r(${columns.join(', ')})`;
};

/** SQL: a column of {@link unnestColumns}, converted to its type. */
export const columnValue = <Column extends string>(
  column: Column,
  types: Readonly<Record<Column, ColumnType>>,
): string => (types[column] === 'jsonb' ? `r.${column}::jsonb` : `r.${column}`);

/** Returns text that PostgreSQL can store: U+0000 becomes U+FFFD, as unpaired surrogates do when UTF-8 is written. */
const toText = (value: unknown): string | null => {
  if (typeof value !== 'string') return value === null || value === undefined ? null : JSON.stringify(value);
  return value.replaceAll('\0', '\ufffd');
};

const toJson = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) && value.length === 0 ? '[]' : toJsonText(value);
};
