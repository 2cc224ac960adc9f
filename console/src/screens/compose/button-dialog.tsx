import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField, SelectField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { readUrl } from '../../editor/read-url.js';
import { format } from '../../i18n/format.js';
import { addButton, type ButtonPlace, changeButton, MAX_IN_ROW, MAX_ROWS, removeButton } from './button-rows.js';
import type { Draft } from './draft.js';
import { composeMessages as m } from './messages.js';

/** A dialog for a button's text, URL and row. */
export const ButtonDialog = ({
  rows,
  place,
  onSave,
  onClose,
}: {
  readonly rows: Draft['buttons'];
  /** Null for a new button. */
  readonly place: ButtonPlace | null;
  readonly onSave: (rows: Draft['buttons']) => void;
  readonly onClose: () => void;
}) => {
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
      <form className="dialog-fields" onSubmit={save} noValidate>
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
