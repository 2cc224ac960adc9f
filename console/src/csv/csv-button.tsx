import { useRef, useState } from 'react';
import { runPatiently } from '../bulk/run-each.js';
import { Button } from '../components/button.js';
import { toast, toastError } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { defineMessages, getLocale } from '../i18n/messages.js';
import { type CsvColumn, separatorOf, toCell, toLines } from './csv.js';

/** Maximum number of rows in a file; spreadsheets show about a million. */
const MAX_ROWS = 200_000;

const m = defineMessages({
  en: {
    download: 'Download as CSV',
    stop: (rows: string) => `Stop at ${rows}`,
    done: (rows: string) => `Downloaded ${rows} rows: the whole list.`,
    cut: (rows: string) => `Only the first ${rows} rows were downloaded. Filter the list for the others.`,
  },
  ru: {
    download: 'Скачать CSV',
    stop: (rows: string) => `Остановить на ${rows}`,
    done: (rows: string) => `Строк скачано: ${rows}. Это весь список.`,
    cut: (rows: string) => `Скачаны только первые строки: ${rows}. Чтобы получить остальные, отфильтруйте список.`,
  },
});

/** A page of a list, as the API returns it. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

interface CsvButtonProps<T> {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly CsvColumn<T>[];
  /** Reads the page at a cursor, with the list's filters. */
  readonly readPage: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>;
}

/** Downloads a whole list as a file for spreadsheets, page by page. A second click stops at what has been read. */
export const CsvButton = <T,>({ name, columns, readPage }: CsvButtonProps<T>) => {
  const [rows, setRows] = useState<number | null>(null);
  const isStopped = useRef(false);
  const run = async (): Promise<void> => {
    isStopped.current = false;
    setRows(0);
    const separator = separatorOf(getLocale());
    // The mark tells spreadsheets that the text is UTF-8.
    const parts = [`\ufeff${columns.map(({ title }) => toCell(title, separator)).join(separator)}\r\n`];
    let count = 0;
    let cursor: string | null | undefined;
    const wasStopped = (): boolean => isStopped.current;
    try {
      while (cursor !== null && !wasStopped() && count < MAX_ROWS) {
        const range = { limit: 200, ...(cursor !== undefined && { cursor }) };
        const page: Page<T> = await runPatiently(() => readPage(range), wasStopped);
        parts.push(toLines(page.items, columns, separator));
        count += page.items.length;
        cursor = page.next;
        setRows(count);
      }
      save(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, new Blob(parts, { type: 'text/csv;charset=utf-8' }));
      toast(cursor === null ? m.done(format.number(count)) : m.cut(format.number(count)));
    } catch (error) {
      toastError(error);
    } finally {
      setRows(null);
    }
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return (
    <Button size="small" look="quiet" onClick={rows === null ? () => void run() : stop}>
      {rows === null ? m.download : m.stop(format.number(rows))}
    </Button>
  );
};

const save = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/** A page that has everything, for lists that are there already. */
export const wholeList =
  <T,>(items: readonly T[]) =>
  () =>
    Promise.resolve({ items, next: null });
