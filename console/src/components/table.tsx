import './table.css';
import { Fragment, type ReactNode, useState } from 'react';
import { Icon, type IconName, type Tone } from './icon.js';

/** A column of a {@link DataTable}. */
export interface TableColumn<T> {
  readonly title: string;
  readonly isTitleHidden?: boolean;
  /** Classes of the cells; the heading follows `number` and `right`. */
  readonly className?: string;
  /** A further class of a cell. */
  readonly tone?: (item: T) => string;
  /** True if a phone, which shows no headings, needs the title in front of the value. */
  readonly isLabelled?: boolean;
  readonly cell: (item: T) => ReactNode;
  /** What to sort by when the heading is chosen. */
  readonly sortBy?: (item: T) => string | number;
}

interface DataTableProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly columns: readonly TableColumn<T>[];
  readonly className?: string;
  readonly rowClass?: (item: T) => string;
  readonly onRow?: (item: T) => void;
  /** Shown below a row, across all columns; null for nothing. */
  readonly details?: (item: T) => ReactNode;
  readonly detailsClass?: (item: T) => string;
}

/** A table of things. Some columns can sort it: first upwards, then downwards, then as it came. */
export const DataTable = <T,>({
  items,
  keyOf,
  columns,
  className = '',
  rowClass = () => 'selectable',
  onRow,
  details = () => null,
  detailsClass = rowClass,
}: DataTableProps<T>) => {
  const [sort, setSort] = useState<{ readonly title: string; readonly sign: 1 | -1 } | null>(null);
  const by = columns.find(({ title }) => title === sort?.title)?.sortBy;
  const compare = (a: string | number, b: string | number): number =>
    typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
  const sorted = by ? items.toSorted((a, b) => compare(by(a), by(b)) * (sort?.sign ?? 1)) : items;
  const choose = (title: string): void =>
    setSort(sort?.title !== title ? { title, sign: 1 } : sort.sign === 1 ? { title, sign: -1 } : null);
  return (
    <div className="table-scroll">
      <table className={`table ${className}`}>
        <thead>
          <tr>
            {columns.map(({ title, isTitleHidden = false, className: classes = '', sortBy }) => (
              <th
                key={title}
                scope="col"
                className={/\b(number|right)\b/.exec(classes)?.[0]}
                {...(sort?.title === title && { 'aria-sort': sort.sign === 1 ? 'ascending' : 'descending' })}
              >
                {isTitleHidden ? (
                  <span className="visually-hidden">{title}</span>
                ) : sortBy ? (
                  <button type="button" className="table-sort" onClick={() => choose(title)}>
                    {title}
                    {sort?.title === title && <Icon name={sort.sign === 1 ? 'chevronUp' : 'chevronDown'} size={12} />}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((item) => {
            const below = details(item);
            return (
              <Fragment key={keyOf(item)}>
                <tr className={rowClass(item)} onClick={onRow && (() => onRow(item))}>
                  {columns.map(({ title, className: classes = '', tone, isLabelled, cell }) => (
                    <td
                      key={title}
                      className={`${classes} ${tone?.(item) ?? ''}`}
                      data-label={isLabelled ? title : undefined}
                    >
                      {cell(item)}
                    </td>
                  ))}
                </tr>
                {below !== null && (
                  <tr className={detailsClass(item)}>
                    <td colSpan={columns.length}>{below}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

interface RowToggleProps {
  readonly look: { readonly name: IconName; readonly tone: Tone };
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** The button in a row that shows and hides its details, for keyboards; a click anywhere on the row does the same. */
export const RowToggle = ({ look, isOpen, onToggle, children }: RowToggleProps) => (
  <button
    type="button"
    className={`row row-toggle tone-${look.tone}`}
    aria-expanded={isOpen}
    onClick={(event) => {
      event.stopPropagation();
      onToggle();
    }}
  >
    <Icon {...look} /> {children}
  </button>
);

/** Names and their values, a row each. */
export const FigureTable = ({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <table className="table">
    <tbody>
      {rows.map(([name, value]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td className="number">{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
