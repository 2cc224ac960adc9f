import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { Segmented, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { readUrl } from '../../editor/read-url.js';
import type { Medium } from './draft.js';
import { composeMessages as m } from './messages.js';

/** File extensions by type. */
const BY_EXTENSION: readonly (readonly [Medium['type'], RegExp])[] = [
  ['video', /\.(mp4|mov|webm)$/i],
  ['audio', /\.(mp3|m4a|ogg)$/i],
  ['photo', /\.(jpe?g|png|webp)$/i],
];

/** A dialog for a file's URL and type. The file extension suggests the type until one is chosen. */
export const MediumDialog = ({
  medium,
  onSave,
  onClose,
}: {
  /** Undefined for a new file. */
  readonly medium: Medium | undefined;
  readonly onSave: (medium: Medium) => void;
  readonly onClose: () => void;
}) => {
  const [address, setAddress] = useState(medium?.url ?? '');
  const [chosen, setChosen] = useState<Medium['type'] | null>(medium?.type ?? null);
  const [isTried, setIsTried] = useState(false);
  const url = readUrl(address);
  const isGood = url !== null && /^https:/i.test(url);
  const path = url === null ? '' : new URL(url).pathname;
  const type = chosen ?? BY_EXTENSION.find(([, pattern]) => pattern.test(path))?.[0] ?? 'photo';
  const save = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    if (!isGood) return;
    onSave({ type, url });
    onClose();
  };
  return (
    <Dialog title={m.mediumTitle} isOpen onClose={onClose}>
      <form className="dialog-fields" onSubmit={save} noValidate>
        <TextField
          label={m.mediumUrl}
          hint={m.mediumUrlHint}
          error={isTried && !isGood && m.badMediumUrl}
          inputMode="url"
          value={address}
          placeholder="https://"
          onChange={setAddress}
        />
        <Segmented<Medium['type']>
          label={m.mediumType}
          value={type}
          options={[
            { value: 'photo', label: m.photo },
            { value: 'video', label: m.video },
            { value: 'audio', label: m.audio },
          ]}
          onChange={setChosen}
        />
        <div className="dialog-actions">
          <Button look="primary" type="submit">
            {medium ? m.save : m.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
