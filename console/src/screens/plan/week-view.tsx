import { useMemo, useState } from 'react';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import type { Post } from '../../publications/posts.js';
import { browserZone, type Day, lengthOfDay, toLocal } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { cellKey, changeOf, foldHours, groupByHour, timeOf } from './calendar.js';
import { AddLink, DayName, middleOf } from './day-head.js';
import { hourName } from './drop-cell.js';
import { HourCell } from './hour-cell.js';
import { planMessages as m } from './messages.js';
import type { PlanDrag } from './use-plan-drag.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Seven days side by side, with a row for each hour. Rows with posts grow to fit them. */
export const WeekView = ({
  days,
  posts,
  drag,
}: {
  readonly days: readonly Day[];
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}) => {
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
