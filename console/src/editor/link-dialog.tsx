import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { TextField } from '../components/controls.js';
import { Dialog } from '../components/dialog.js';
import { editorMessages as m } from './messages.js';
import { readUrl } from './read-url.js';
import type { TextEditing } from './text-editing.js';

/** Asks for a link's URL, and for its text unless several lines are selected. */
export const LinkDialog = ({ editing, onClose }: { readonly editing: TextEditing; readonly onClose: () => void }) => {
  const [{ words: selected, link }] = useState(() => editing.readLink());
  const [words, setWords] = useState(selected);
  const [address, setAddress] = useState(link?.url ?? '');
  const [isTried, setIsTried] = useState(false);
  const url = readUrl(address);

  const save = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    const shown = words.trim() === '' ? (url ?? '') : words;
    if (url === null) return;
    editing.link(shown, url);
    onClose();
  };
  const remove = (): void => {
    editing.link(selected, null);
    onClose();
  };
  return (
    <Dialog title={m.linkTitle} isOpen onClose={onClose}>
      <form className="dialog-fields" onSubmit={save} noValidate>
        <TextField
          label={m.linkUrl}
          error={isTried && url === null && m.badUrl}
          inputMode="url"
          value={address}
          placeholder="https://"
          onChange={setAddress}
        />
        {!selected.includes('\n') && <TextField label={m.linkWords} value={words} onChange={setWords} />}
        <div className="dialog-actions">
          {link && (
            <Button look="danger" onClick={remove}>
              {m.removeLink}
            </Button>
          )}
          <Button look="primary" type="submit">
            {m.saveLink}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
