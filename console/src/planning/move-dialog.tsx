import './time-fields.css';
import '../components/form.css';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { Chip, Segmented, TextField } from '../components/controls.js';
import { Confirmation, Dialog, happens, risk } from '../components/dialog.js';
import { toast } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { getLocale } from '../i18n/messages.js';
import { cancelPost } from '../publications/publication-calls.js';
import { addDays, browserZone, findInstants, offsetName, toLocal, zoneTitle } from '../time/local-time.js';
import { serverNow, useNow } from '../time/server-clock.js';
import { chooseInstant, type ChosenTime, offerTimes, type ReadTime, readTime, suggestTime } from './choose-time.js';
import { planningMessages as m } from './messages.js';
import { type Planned, reschedule } from './planning-calls.js';
import { type Movable, useMove } from './use-move.js';

const MINUTE = 60_000;

/** Parses a chosen time in the browser's time zone, and parses it again as time passes. */
export const useReadTime = (value: ChosenTime): ReadTime => readTime(value, browserZone(), useNow(MINUTE));

interface TimeFieldsProps {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
}

/** Fields for the day and the time of a post, in the browser's time zone, with suggested times. */
export const TimeFields = ({ value, onChange }: TimeFieldsProps) => {
  const now = useNow(MINUTE);
  const zone = browserZone();
  const read = readTime(value, zone, now);
  const today = toLocal(now, zone).day;
  const error =
    read.problem === null
      ? null
      : read.problem === 'skipped'
        ? m.skipped(value.time, format.time(read.next))
        : m[read.problem];
  const offset = offsetName(read.problem === null ? read.at : now, zone);
  return (
    <div className="time-fields" data-field="publish_at" tabIndex={-1}>
      <div className="time-inputs">
        <TextField
          label={m.date}
          type="date"
          required
          min={today}
          max={addDays(today, 366)}
          value={value.day}
          onChange={(day) => onChange({ ...value, day, isSecond: false })}
        />
        <TextField
          label={m.time}
          type="time"
          required
          value={value.time}
          onChange={(time) => onChange({ ...value, time: time.slice(0, 5), isSecond: false })}
        />
      </div>
      {error !== null && (
        <div className="time-note">
          <p className="tone-fail" role="alert">
            {error}
          </p>
          {read.problem === 'skipped' && (
            <Button size="small" onClick={() => onChange(chooseInstant(read.next, zone))}>
              {m.takeNext(format.time(read.next))}
            </Button>
          )}
        </div>
      )}
      {read.isTwice && <TwoTimes value={value} onChange={onChange} zone={zone} />}
      <div className="time-offers" role="group" aria-label={m.offers}>
        {offerTimes(now, zone).map(({ name, day, time }) => (
          <Chip
            key={name}
            isOn={value.day === day && value.time === time}
            onClick={() => onChange({ day, time, isSecond: false })}
          >
            {m.offered[name]}
          </Chip>
        ))}
      </div>
      <p className="tertiary">{m.timesIn(zoneTitle(zone, getLocale()), offset)}</p>
    </div>
  );
};

interface TwoTimesProps {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
  readonly zone: string;
}

/** Asks which of two instants is meant, for a time that occurs twice when the clocks go back. */
const TwoTimes = ({ value, onChange, zone }: TwoTimesProps) => {
  const found = findInstants(value, zone);
  if (found.kind !== 'twice') return null;
  return (
    <div className="time-note" role="status">
      <p>{m.twice(value.time)}</p>
      <Segmented
        label={m.time}
        value={value.isSecond ? 'second' : 'first'}
        options={[
          { value: 'first', label: m.firstOfTwo(offsetName(found.first, zone)) },
          { value: 'second', label: m.secondOfTwo(offsetName(found.second, zone)) },
        ]}
        onChange={(which) => onChange({ ...value, isSecond: which === 'second' })}
      />
    </div>
  );
};

interface MoveDialogProps {
  readonly post: Movable;
  /** The post's text on one line. */
  readonly title: string;
  /** The time that the post was dropped on, if the user must confirm it. */
  readonly wanted?: ChosenTime;
  /** Returns the element to focus when the dialog closes. */
  readonly returnFocus?: () => HTMLElement | null;
  readonly onClose: () => void;
}

/** Asks for a new day and time for a planned post. */
export const MoveDialog = ({ post, title, wanted, returnFocus, onClose }: MoveDialogProps) => {
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

interface DialogProps {
  readonly post: Planned;
  readonly onClose: () => void;
}

/** Asks for confirmation before publishing a planned post now, because that cannot be undone. */
export const PublishNowDialog = ({ post, onClose }: DialogProps) => (
  <Confirmation
    title={m.publishNowTitle}
    consequences={[happens(m.publishNowHappens), risk(m.publishNowRisk)]}
    verb={m.publishNowVerb}
    run={async () => {
      await reschedule(post, null);
      toast(m.publishedNow);
    }}
    onClose={onClose}
  />
);

/** Asks for confirmation before cancelling a planned post. */
export const CancelPlannedDialog = ({ post, onClose }: DialogProps) => (
  <Confirmation
    title={m.cancelTitle}
    consequences={[happens(m.cancelHappens), risk(m.cancelRisk)]}
    verb={m.cancelVerb}
    isDanger
    run={async () => {
      await cancelPost(post.id);
      toast(m.cancelled);
    }}
    onClose={onClose}
  />
);
