import { textArray } from '../../postgres/binary-array.js';
import { toJsonText } from './json-text.js';

/** SQL types of the columns that {@link encodeColumn} can encode. */
export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean' | 'double precision' | 'jsonb';

/** Escapes that mean something else in an array of PostgreSQL than in JSON. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Encodes the values of a column as an array for {@link unnestColumns}; undefined is null. JSON's text of a list is an array's
 * text but for the brackets and some escapes, and is made faster than an array in binary, with its call for each value.
 */
export const encodeColumn = (type: ColumnType, values: readonly unknown[]): string | Buffer => {
  const elements = type === 'jsonb' ? values.map(toJson) : values;
  const text = JSON.stringify(elements);
  if (!OTHER_ESCAPE.test(text)) return `{${text.slice(1, -1)}}`;
  return textArray(elements.map(toText));
};

/** SQL: the rows of encoded columns as `r`, the parameters from $1 on. {@link columnValue} converts those that are sent as text. */
export const unnestColumns = <Column extends string>(
  columns: readonly Column[],
  types: Readonly<Record<Column, ColumnType>>,
): string => {
  const arrays = columns.map((column, i) => `$${i + 1}::${types[column] === 'jsonb' ? 'text' : types[column]}[]`);
  return `unnest(${arrays.join(', ')}) r(${columns.join(', ')})`;
};

/** SQL: a column of {@link unnestColumns} in its type. */
export const columnValue = <Column extends string>(
  column: Column,
  types: Readonly<Record<Column, ColumnType>>,
): string => (types[column] === 'jsonb' ? `r.${column}::jsonb` : `r.${column}`);

/** Returns the text that PostgreSQL can store: U+0000 becomes U+FFFD, as unpaired surrogates do when UTF-8 is written. */
const toText = (value: unknown): string | null => {
  if (typeof value !== 'string') return value === null || value === undefined ? null : JSON.stringify(value);
  return value.replaceAll('\0', '\ufffd');
};

const toJson = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) && value.length === 0 ? '[]' : toJsonText(value);
};
