import './time-fields.css';
import { Button } from '../components/button.js';
import { Chip, Segmented, TextField } from '../components/controls.js';
import { format } from '../i18n/format.js';
import { addDays, browserZone, findInstants, offsetName, toLocal } from '../time/local-time.js';
import { useNow } from '../time/server-clock.js';
import { chooseInstant, type ChosenTime, offerTimes, type ReadTime, readTime } from './choose-time.js';
import { planningMessages as m } from './messages.js';

const MINUTE = 60_000;

/** Parses a chosen time in the browser's time zone, and parses it again as time passes. */
export const useReadTime = (value: ChosenTime): ReadTime => readTime(value, browserZone(), useNow(MINUTE));

/** Fields for the day and the time of a post, in the browser's time zone, with suggested times. */
export const TimeFields = ({
  value,
  onChange,
}: {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
}) => {
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
      <p className="tertiary">{m.timesIn(zone, offset)}</p>
    </div>
  );
};

/** Asks which of two instants is meant, for a time that occurs twice when the clocks go back. */
const TwoTimes = ({
  value,
  onChange,
  zone,
}: {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
  readonly zone: string;
}) => {
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
