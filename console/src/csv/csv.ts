import { getLocale } from '../i18n/messages.js';

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined;

/** A column of a file. */
export interface CsvColumn<T> {
  readonly title: string;
  readonly cell: (item: T) => Cell;
}

/** What begins a formula, or continues one, in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Returns a value as a cell. Text that a spreadsheet would take for a formula begins with an apostrophe: a post or a
 * program's name may come from someone else.
 */
export const toCell = (value: Cell, separator: string): string => {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value.trimStart()) ? `'${value}` : value;
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Returns what separates the cells: spreadsheets in Russian expect a semicolon, because a comma is their decimal sign. */
export const separatorOf = (locale: string): string => (locale === 'ru' ? ';' : ',');

/** Returns rows as lines of a file. */
export const toLines = <T>(
  items: readonly T[],
  columns: readonly CsvColumn<T>[],
  separator = separatorOf(getLocale()),
): string =>
  items.map((item) => `${columns.map(({ cell }) => toCell(cell(item), separator)).join(separator)}\r\n`).join('');

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns a time as `2026-11-29 14:05:03 +03:00`, in the reader's time zone; null stays null. */
export const csvTime = (at: string | null | undefined): string | null => {
  if (at === null || at === undefined) return null;
  const date = new Date(at);
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')} ${zone}`;
};
