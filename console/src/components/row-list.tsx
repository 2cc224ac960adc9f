import './row-list.css';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isTyping } from './is-typing.js';
import { useIsPhone } from './use-is-phone.js';

/** A column of the table. */
export interface Column<T> {
  readonly name: string;
  /** Heading, read only by screen readers if `isTitleHidden`. */
  readonly title: string;
  readonly isTitleHidden?: boolean;
  readonly cell: (item: T) => ReactNode;
}

/** Number of extra rows to render above and below the window. */
const OVERSCAN = 20;

/**
 * A table with rows of equal height, which renders only the rows near the window. `j` and `k` move between the rows'
 * links, which have the class `row-link`; Enter opens a link. `className` sets the column grid.
 */
export const RowList = <T extends { readonly id: string }>({
  label,
  items,
  columns,
  rowHeight,
  className,
}: {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  /** In pixels, on a desktop and on a phone. */
  readonly rowHeight: { readonly desktop: number; readonly phone: number };
  readonly className: string;
}) => {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measured = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setTop(measured);
  }, [items.length]);
  const height = useIsPhone() ? rowHeight.phone : rowHeight.desktop;
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  useRowKeys(list, items.length, (index) => virtual.scrollToIndex(index));
  return (
    <div role="table" aria-label={label} aria-rowcount={items.length + 1} className={`row-table ${className}`}>
      <div role="row" aria-rowindex={1} className="row-list-head">
        {columns.map(({ name, title, isTitleHidden }) => (
          <span key={name} role="columnheader" className={`column-${name}`}>
            {isTitleHidden ? <span className="visually-hidden">{title}</span> : title}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={list} className="row-list" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          if (!item) return null;
          return <Row key={key} {...{ item, columns, index, height }} top={start - top} />;
        })}
      </div>
    </div>
  );
};

interface RowProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly index: number;
  /** Pixels. */
  readonly height: number;
  readonly top: number;
}

/** Memoised, so that scrolling renders only the rows that come into view. */
const Row = memo(<T,>({ item, columns, index, height, top }: RowProps<T>) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-index={index}
    className="row-list-row"
    style={{ height, transform: `translateY(${top}px)` }}
  >
    {columns.map(({ name, cell }) => (
      <div key={name} role="cell" className={`column-${name}`}>
        {cell(item)}
      </div>
    ))}
  </div>
)) as <T>(props: RowProps<T>) => ReactNode;

/** Moves focus between rows with `j` and `k`, unless the user is typing or a dialog is open. */
const useRowKeys = (
  list: { readonly current: HTMLElement | null },
  count: number,
  scrollTo: (index: number) => void,
): void => {
  const scroll = useRef(scrollTo);
  /** Index of the row to focus in the next frame. Further key presses continue from there. */
  const coming = useRef<number | null>(null);
  useEffect(() => {
    scroll.current = scrollTo;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      const target = event.target as HTMLElement;
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      if (isTyping(target) || document.querySelector('[role="dialog"]')) return;
      const row = list.current?.contains(target) ? target.closest<HTMLElement>('[data-index]') : null;
      const from = coming.current ?? (row ? Number(row.dataset.index) : -1);
      const next = Math.min(count - 1, Math.max(0, from + step));
      coming.current = next;
      scroll.current(next);
      requestAnimationFrame(() => {
        if (coming.current !== next) return;
        coming.current = null;
        list.current?.querySelector<HTMLElement>(`[data-index="${next}"] .row-link`)?.focus({ preventScroll: true });
      });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [list, count]);
};
