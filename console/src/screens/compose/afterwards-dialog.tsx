import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import type { Draft } from './draft.js';
import { composeMessages as m } from './messages.js';

const MAX_MINUTES = 1_440;

/** Parses the length of a pause in minutes; null if it is not valid. */
const readMinutes = (typed: string): number | null => {
  const minutes = typed.trim() === '' ? 0 : Number(typed);
  return Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_MINUTES ? minutes : null;
};

/** A dialog for the pauses that start once the post is published. */
export const AfterwardsDialog = ({
  pauses,
  onSave,
  onClose,
}: {
  readonly pauses: Draft['pauses'];
  readonly onSave: (pauses: Draft['pauses']) => void;
  readonly onClose: () => void;
}) => {
  const [typed, setTyped] = useState({ project: String(pauses.project), channels: String(pauses.channels) });
  const project = readMinutes(typed.project);
  const channels = readMinutes(typed.channels);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (project === null || channels === null) return;
    onSave({ project, channels });
    onClose();
  };
  const field = (name: 'project' | 'channels', label: string, value: number | null) => (
    <TextField
      label={label}
      hint={m.minutesHint}
      error={value === null && m.badMinutes}
      inputMode="numeric"
      value={typed[name]}
      onFocus={(event) => event.target.select()}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  );
  return (
    <Dialog title={m.afterwardsTitle} description={m.afterwardsText} isOpen onClose={onClose}>
      <form className="dialog-fields" onSubmit={save} noValidate>
        {field('project', m.projectMinutes, project)}
        {field('channels', m.channelMinutes, channels)}
        <div className="dialog-actions">
          <Button look="primary" type="submit">
            {m.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
