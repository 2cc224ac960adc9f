import { Link, useNavigate } from '@tanstack/react-router';
import { type DragEvent, type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import type { Post } from '../../publications/shown-state.js';
import { useMay } from '../../session/rights.js';
import { browserZone, type Day, lengthOfDay, startOfDay, toLocal } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { cellKey, changeOf, foldHours, groupByHour, type Hour, timeOf } from './calendar.js';
import { planMessages as m } from './messages.js';
import { PlanCard } from './plan-card.js';
import type { PlanDrag } from './use-plan.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Returns an instant around noon, in ms since 1970, for formatting the day. */
export const middleOf = (day: Day): number => startOfDay(day, browserZone()) + DAY / 2;

interface DayNameProps {
  readonly day: Day;
  readonly isToday: boolean;
  /** True to name the month only on its first day, for narrow columns. */
  readonly isShort?: boolean;
}

/** The name of a day, and its length if the clocks change on it. */
export const DayName = ({ day, isToday, isShort = false }: DayNameProps) => {
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

/** The route that a post on a free spot of the calendar needs. */
const WRITING = 'POST /endpoints/{id}/posts';

/** A link to Compose, for scheduling a post on a day. */
export const AddLink = ({ day }: { readonly day: Day }) => {
  const name = m.addOn(format.longDay(middleOf(day)));
  if (!useMay(WRITING)) return null;
  return (
    <Link className="plan-add" to="/compose" search={{ day }} aria-label={name} title={name}>
      <Icon name="plus" size={14} />
    </Link>
  );
};

/** Formats an hour as a time of day: `07:00`. */
export const hourName = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

interface DropCellProps {
  readonly day: Day;
  /** From 0 to 23; null for the day as a whole. */
  readonly hour: number | null;
  readonly drag: PlanDrag;
  /** True if the cell's time has passed. */
  readonly isPast: boolean;
  readonly className?: string;
  readonly title?: string;
  readonly children?: ReactNode;
}

/**
 * A cell of the calendar. While a post is dragged over the cell, it shows the time that the post would get. A click on
 * an empty spot schedules a post; keyboard users have the link at the head of the day.
 */
export const DropCell = ({ day, hour, drag, isPast, className = '', title, children }: DropCellProps) => {
  const navigate = useNavigate();
  const mayWrite = useMay(WRITING);
  const [isOver, setIsOver] = useState(false);
  const onDragOver = (event: DragEvent): void => {
    if (!drag.isDragging) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    if (!isOver) setIsOver(true);
  };
  const onDragLeave = ({ currentTarget, relatedTarget }: DragEvent): void => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    drag.drop(day, hour);
  };
  const onClick = ({ target, currentTarget }: MouseEvent): void => {
    if (!mayWrite || isPast || target !== currentTarget) return;
    void navigate({ to: '/compose', search: { day, ...(hour !== null && { time: hourName(hour) }) } });
  };
  return (
    <td
      className={`plan-cell ${isPast ? 'past' : 'open'} ${className}`}
      data-over={isOver || undefined}
      data-day={day}
      {...(hour !== null && { 'data-hour': hour, 'data-time': hourName(hour) })}
      {...(title !== undefined && { title })}
      onDragOver={onDragOver}
      onDragLeave={onDragLeave}
      onDrop={onDrop}
      onClick={onClick}
    >
      {children}
      {isOver && !isPast && <span className="plan-drop-time">{drag.timeOn(hour)}</span>}
    </td>
  );
};

/** Maximum number of posts shown in an hour. If there are more, a button that shows them replaces the last post. */
const SHOWN = 5;

interface HourCellProps {
  readonly day: Day;
  readonly hour: number;
  readonly change: Hour['change'];
  readonly isPast: boolean;
  /** The current minute, from 0 to 59, if this is the current hour; otherwise null. */
  readonly nowAt: number | null;
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}

/** An hour of a day, with its posts. */
export const HourCell = ({ day, hour, change, isPast, nowAt, posts, drag }: HourCellProps) => {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll || posts.length <= SHOWN ? posts : posts.slice(0, SHOWN - 1);
  const rest = posts.length - shown.length;
  return (
    <DropCell
      day={day}
      hour={hour}
      drag={drag}
      isPast={isPast}
      className={change ?? ''}
      {...(change && { title: m[change] })}
    >
      {nowAt !== null && <i className="plan-now" style={{ top: `${(nowAt / 60) * 100}%` }} />}
      {change && <span className="plan-change">{m[change]}</span>}
      {shown.map((post) => (
        <PlanCard key={post.id} post={post} drag={drag} />
      ))}
      {rest > 0 && (
        <button type="button" className="plan-rest" onClick={() => setIsAll(true)}>
          {m.more(format.number(rest))}
        </button>
      )}
    </DropCell>
  );
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface WeekViewProps {
  readonly days: readonly Day[];
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}

/** Seven days side by side, with a row for each hour. Rows with posts grow to fit them. */
export const WeekView = ({ days, posts, drag }: WeekViewProps) => {
  const zone = browserZone();
  const now = toLocal(useNow(MINUTE_MS), zone);
  const nowHour = Number(now.time.slice(0, 2));
  const [unfolded, setUnfolded] = useState<number | null>(null);
  const byHour = useMemo(() => groupByHour(posts, timeOf, browserZone()), [posts]);
  const changed = useMemo(() => days.filter((day) => lengthOfDay(day, browserZone()) !== DAY_MS), [days]);
  const isQuiet = (hour: number): boolean => !days.some((day) => byHour.has(cellKey(day, hour)));
  const isNow = (hour: number): boolean => days.includes(now.day) && hour === nowHour;
  const parts = foldHours((hour) => isQuiet(hour) && !isNow(hour) && changed.length === 0);
  return (
    <table className="plan-week" aria-label={m.calendar}>
      <thead>
        <tr>
          <th scope="col" className="plan-hour">
            <span className="visually-hidden">{m.hour}</span>
          </th>
          {days.map((day) => (
            <th key={day} scope="col" abbr={format.longDay(middleOf(day))}>
              <span className="plan-day-head">
                <DayName day={day} isToday={day === now.day} isShort />
                {day >= now.day && <AddLink day={day} />}
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {parts.map(({ from, to, isFolded }) =>
          isFolded && unfolded !== from ? (
            <tr key={from} className="plan-fold" onDragEnter={() => setUnfolded(from)}>
              <th scope="row" className="plan-hour">
                {hourName(from)}
              </th>
              <td colSpan={days.length}>
                <button type="button" onClick={() => setUnfolded(from)}>
                  <Icon name="chevronDown" size={12} /> {m.fold(hourName(from), hourName(to))}
                </button>
              </td>
            </tr>
          ) : (
            Array.from({ length: to - from }, (_, index) => from + index).map((hour) => (
              <tr key={hour} {...(isQuiet(hour) && { className: 'quiet' })}>
                <th scope="row" className="plan-hour">
                  {hourName(hour)}
                </th>
                {days.map((day) => (
                  <HourCell
                    key={day}
                    day={day}
                    hour={hour}
                    change={changed.includes(day) ? changeOf(day, hour, zone) : null}
                    isPast={day < now.day || (day === now.day && hour < nowHour)}
                    nowAt={day === now.day && hour === nowHour ? Number(now.time.slice(3)) : null}
                    posts={byHour.get(cellKey(day, hour)) ?? []}
                    drag={drag}
                  />
                ))}
              </tr>
            ))
          ),
        )}
      </tbody>
    </table>
  );
};
