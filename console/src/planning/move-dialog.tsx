import '../components/form.css';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { browserZone } from '../time/local-time.js';
import { serverNow } from '../time/server-clock.js';
import { chooseInstant, type ChosenTime, suggestTime } from './choose-time.js';
import { planningMessages as m } from './messages.js';
import { TimeFields, useReadTime } from './time-fields.js';
import { type Movable, useMove } from './use-move.js';

/** Asks for a new day and time for a planned post. */
export const MoveDialog = ({
  post,
  title,
  wanted,
  returnFocus,
  onClose,
}: {
  readonly post: Movable;
  /** The post's text on one line. */
  readonly title: string;
  /** The time that the post was dropped on, if the user must confirm it. */
  readonly wanted?: ChosenTime;
  /** Returns the element to focus when the dialog closes. */
  readonly returnFocus?: () => HTMLElement | null;
  readonly onClose: () => void;
}) => {
  const move = useMove();
  const [value, setValue] = useState<ChosenTime>(
    () =>
      wanted ??
      (post.publish_at === null
        ? suggestTime(serverNow(), browserZone())
        : chooseInstant(Date.parse(post.publish_at), browserZone())),
  );
  const [isBusy, setIsBusy] = useState(false);
  const read = useReadTime(value);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (read.problem !== null || isBusy) return;
    setIsBusy(true);
    await move(post, read.at);
    onClose();
  };
  return (
    <Dialog
      title={post.publish_at === null ? m.giveTimeTitle : m.moveTitle}
      description={<bdi>{title}</bdi>}
      isOpen
      onClose={onClose}
      {...(returnFocus && { returnFocus })}
    >
      <form className="dialog-form" noValidate onSubmit={(event) => void save(event)}>
        <TimeFields value={value} onChange={setValue} />
        <div className="dialog-actions">
          <Button type="submit" look="primary" busy={isBusy} disabled={read.problem !== null}>
            {m.moveVerb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
