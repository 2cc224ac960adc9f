import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { serverNow } from '../../time/server-clock.js';
import { timelineMessages as m } from './messages.js';

/** Formats a time as the value of a `datetime-local` field: `2026-11-26T14:02`. */
const toLocal = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** A dialog for choosing the time to show in the lanes and the post list. */
export const JumpDialog = ({
  onJump,
  onClose,
}: {
  /** Called with an ISO 8601 time. */
  readonly onJump: (at: string) => void;
  readonly onClose: () => void;
}) => {
  const [value, setValue] = useState(() => toLocal(serverNow()));
  const [isWrong, setIsWrong] = useState(false);
  const jump = (event: SubmitEvent): void => {
    event.preventDefault();
    const at = new Date(value);
    if (Number.isNaN(at.getTime()) || at.getTime() > serverNow() + 60_000) return setIsWrong(true);
    onJump(at.toISOString());
    onClose();
  };
  return (
    <Dialog title={m.jumpTitle} isOpen onClose={onClose}>
      <form className="jump-form" onSubmit={jump}>
        <TextField
          label={m.jumpField}
          hint={m.jumpHint(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          error={isWrong && m.badTime}
          type="datetime-local"
          required
          value={value}
          onChange={setValue}
        />
        <div className="dialog-actions">
          <Button type="submit" look="primary">
            {m.jumpVerb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
