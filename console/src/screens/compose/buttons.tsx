import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { readUrl } from '../../editor/formatted-text.js';
import { format } from '../../i18n/format.js';
import type { Draft, PostButton } from './draft.js';
import { composeMessages as m } from './messages.js';

type Rows = readonly (readonly PostButton[])[];

/** Position of a button: its row and column indexes, from 0. */
export interface ButtonPlace {
  readonly row: number;
  readonly column: number;
}

/** Maximum number of button rows, and of buttons per row. */
export const MAX_ROWS = 8;
export const MAX_IN_ROW = 8;

/** Appends a button to a row, or in a new last row if the row does not exist yet. */
export const addButton = (rows: Rows, button: PostButton, row: number): Rows =>
  row >= rows.length ? [...rows, [button]] : rows.map((each, index) => (index === row ? [...each, button] : each));

/** Removes a button, and its row if that leaves the row empty. */
export const removeButton = (rows: Rows, { row, column }: ButtonPlace): Rows =>
  rows
    .map((each, index) => (index === row ? each.filter((_, place) => place !== column) : each))
    .filter((each) => each.length > 0);

/** Replaces a button, moving it to another row if necessary. */
export const changeButton = (rows: Rows, from: ButtonPlace, button: PostButton, row: number): Rows => {
  if (row === from.row) {
    return rows.map((each, index) =>
      index === row ? each.map((old, column) => (column === from.column ? button : old)) : each,
    );
  }
  // If the button was alone in its row, the row disappears and later rows move up.
  const isAlone = rows[from.row]?.length === 1;
  return addButton(removeButton(rows, from), button, isAlone && row > from.row ? row - 1 : row);
};

interface ButtonDialogProps {
  readonly rows: Draft['buttons'];
  /** Null for a new button. */
  readonly place: ButtonPlace | null;
  readonly onSave: (rows: Draft['buttons']) => void;
  readonly onClose: () => void;
}

/** A dialog for a button's text, URL and row. */
export const ButtonDialog = ({ rows, place, onSave, onClose }: ButtonDialogProps) => {
  const button = place && rows[place.row]?.[place.column];
  const [text, setText] = useState(button?.text ?? '');
  const [address, setAddress] = useState(button?.url ?? '');
  const [row, setRow] = useState(place?.row ?? Math.min(rows.length, MAX_ROWS - 1));
  const [isTried, setIsTried] = useState(false);
  const url = readUrl(address);
  const isGoodUrl = url !== null && /^(https|tg):/i.test(url);
  const isFull = row !== place?.row && (rows[row]?.length ?? 0) >= MAX_IN_ROW;
  const done = (next: Draft['buttons']): void => {
    onSave(next);
    onClose();
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    if (text.trim() === '' || !isGoodUrl || isFull) return;
    const saved = { text: text.trim(), url };
    done(place ? changeButton(rows, place, saved, row) : addButton(rows, saved, row));
  };
  return (
    <Dialog title={m.buttonTitle} isOpen onClose={onClose}>
      <form className="dialog-form" onSubmit={save} noValidate>
        <TextField
          label={m.buttonText}
          error={isTried && text.trim() === '' && m.noButtonText}
          value={text}
          spellCheck
          onChange={setText}
        />
        <TextField
          label={m.buttonUrl}
          error={isTried && !isGoodUrl && m.badButtonUrl}
          inputMode="url"
          value={address}
          placeholder="https://"
          onChange={setAddress}
        />
        <SelectField
          label={m.row}
          error={isTried && isFull && m.rowFull}
          value={row}
          onChange={(value) => setRow(Number(value))}
        >
          {rows.map((_, index) => (
            <option key={index} value={index}>
              {m.rowNumber(format.number(index + 1))}
            </option>
          ))}
          {rows.length < MAX_ROWS && <option value={rows.length}>{m.newRow}</option>}
        </SelectField>
        <div className="dialog-actions">
          {place && (
            <Button look="danger" onClick={() => done(removeButton(rows, place))}>
              {m.remove}
            </Button>
          )}
          <Button look="primary" type="submit">
            {place ? m.save : m.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

interface ButtonGridProps {
  readonly rows: Draft['buttons'];
  readonly isBad: (path: string) => boolean;
  /** Null for a new button. */
  readonly onEdit: (place: ButtonPlace | null) => void;
}

/** The buttons of a draft in their rows. Clicking a button edits it. */
export const ButtonGrid = ({ rows, isBad, onEdit }: ButtonGridProps) => {
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
