import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { browserZone, type Day, lengthOfDay, startOfDay } from '../../time/local-time.js';
import { planMessages as m } from './messages.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Returns an instant around noon, in ms since 1970, for formatting the day. */
export const middleOf = (day: Day): number => startOfDay(day, browserZone()) + DAY / 2;

/** The name of a day, and its length if the clocks change on it. */
export const DayName = ({
  day,
  isToday,
  isShort = false,
}: {
  readonly day: Day;
  readonly isToday: boolean;
  /** True to name the month only on its first day, for narrow columns. */
  readonly isShort?: boolean;
}) => {
  const at = middleOf(day);
  const length = lengthOfDay(day, browserZone());
  return (
    <span className={`cut ${isToday ? 'tone-time' : ''}`}>
      <b>{isToday ? m.today : format.weekday(at)}</b>{' '}
      {isShort && !day.endsWith('-01') ? Number(day.slice(8)) : format.day(at)}
      {length !== DAY && <span className="tertiary"> {m.dayLength(format.number(length / HOUR, 1))}</span>}
    </span>
  );
};

/** A link to Compose, for scheduling a post on a day. */
export const AddLink = ({ day }: { readonly day: Day }) => {
  const name = m.addOn(format.longDay(middleOf(day)));
  return (
    <Link className="plan-add" to="/compose" search={{ day }} aria-label={name} title={name}>
      <Icon name="plus" size={14} />
    </Link>
  );
};
