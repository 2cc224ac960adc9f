import { Icon } from '../../components/icon.js';
import type { ButtonPlace } from './button-rows.js';
import type { Draft } from './draft.js';
import { composeMessages as m } from './messages.js';

/** The buttons of a draft in their rows. Clicking a button edits it. */
export const ButtonGrid = ({
  rows,
  isBad,
  onEdit,
}: {
  readonly rows: Draft['buttons'];
  readonly isBad: (path: string) => boolean;
  /** Null for a new button. */
  readonly onEdit: (place: ButtonPlace | null) => void;
}) => {
  if (rows.length === 0) return null;
  return (
    <div className="compose-buttons" role="group" aria-label={m.buttons}>
      {rows.map((buttons, row) => (
        <div key={row} className="compose-button-row">
          {buttons.map(({ text, url }, column) => (
            <button
              key={column}
              type="button"
              className="compose-button"
              data-field={`buttons[${row}][${column}]`}
              aria-invalid={isBad(`buttons[${row}][${column}]`) || undefined}
              title={url}
              onClick={() => onEdit({ row, column })}
            >
              <bdi className="cut">{text}</bdi>
              <bdi className="cut tertiary">{shortUrl(url, buttons.length > 1)}</bdi>
            </button>
          ))}
        </div>
      ))}
      <button type="button" className="compose-button add" onClick={() => onEdit(null)}>
        <Icon name="plus" size={13} /> {m.addButton}
      </button>
    </div>
  );
};

/** Returns a URL without its scheme. In narrow cells, also omits the host if there is a path. */
const shortUrl = (url: string, isNarrow: boolean): string => {
  const { host, pathname } = new URL(url);
  return isNarrow && pathname !== '/' ? pathname : `${host}${pathname === '/' ? '' : pathname}`;
};
