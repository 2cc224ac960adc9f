import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useIsPhone } from '../../components/use-is-phone.js';
import { format } from '../../i18n/format.js';
import type { Post } from '../../publications/shown-state.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { groupByDay, isInMonth, timeOf, weekFrom } from './calendar.js';
import { planMessages as m } from './messages.js';
import { PlanCard } from './plan-card.js';
import type { PlanDrag } from './use-plan.js';
import { AddLink, DayName, DropCell, middleOf } from './week-view.js';

/** Maximum number of posts shown in a day. If there are more, a link to the day's week replaces the last post. */
const SHOWN = 4;
const MINUTE_MS = 60_000;

interface MonthViewProps {
  readonly days: readonly Day[];
  /** Any day of the month. */
  readonly first: Day;
  readonly posts: readonly Post[];
  /** The last day that posts were loaded for, if there were too many to load; null if all were loaded. */
  readonly shownUntil: Day | null;
  readonly drag: PlanDrag;
}

/** The weeks of a month. On phones, each day shows only the number of its posts. */
export const MonthView = ({ days, first, posts, shownUntil, drag }: MonthViewProps) => {
  const isPhone = useIsPhone();
  const zone = browserZone();
  const today = toLocal(useNow(MINUTE_MS), zone).day;
  const byDay = useMemo(() => groupByDay(posts, timeOf, browserZone()), [posts]);
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return (
    <table className="plan-month" aria-label={m.calendar}>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th key={day} scope="col">
              {format.weekday(middleOf(day))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const ofDay = byDay.get(day) ?? [];
              const shown = isPhone ? [] : ofDay.slice(0, ofDay.length > SHOWN ? SHOWN - 1 : SHOWN);
              const rest = ofDay.length - shown.length;
              const at = middleOf(day);
              const isCut = shownUntil !== null && day > shownUntil;
              return (
                <DropCell
                  key={day}
                  day={day}
                  hour={null}
                  drag={drag}
                  isPast={day < today}
                  className={`${isInMonth(day, first) ? '' : 'outside'} ${isCut ? 'not-shown' : ''}`}
                >
                  <span className="plan-date-head">
                    <Link
                      className={`plan-date ${day === today ? 'today' : ''}`}
                      to="/plan"
                      search={weekFrom(day)}
                      {...(day === today && { 'aria-current': 'date' as const })}
                    >
                      <span aria-hidden="true">{Number(day.slice(8))}</span>
                      {isPhone && ofDay.length > 0 && <b aria-hidden="true">{format.number(ofDay.length)}</b>}
                      {isPhone && isCut && <b aria-hidden="true">…</b>}
                      <i className="visually-hidden">
                        {isCut
                          ? m.notShownOn(format.longDay(at))
                          : m.postsOn(ofDay.length, format.number(ofDay.length), format.longDay(at))}
                      </i>
                    </Link>
                    {!isPhone && day >= today && <AddLink day={day} />}
                  </span>
                  {shown.map((post) => (
                    <PlanCard key={post.id} post={post} drag={drag} isLine />
                  ))}
                  {!isPhone && isCut && <span className="plan-rest">{m.notShown}</span>}
                  {!isPhone && rest > 0 && (
                    <Link
                      className="plan-rest"
                      to="/plan"
                      search={weekFrom(day)}
                      aria-label={m.moreOn(format.number(rest), format.longDay(at))}
                    >
                      {m.more(format.number(rest))}
                    </Link>
                  )}
                </DropCell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

interface DayListProps {
  readonly days: readonly Day[];
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}

/** The week view for phones: seven days, one below the other. */
export const DayList = ({ days, posts, drag }: DayListProps) => {
  const zone = browserZone();
  const today = toLocal(useNow(MINUTE_MS), zone).day;
  const byDay = useMemo(() => groupByDay(posts, timeOf, browserZone()), [posts]);
  return (
    <div className="plan-days">
      {days.map((day) => {
        const ofDay = byDay.get(day) ?? [];
        return (
          <section key={day} className="card" aria-labelledby={`plan-${day}`}>
            <header className="plan-day-head">
              <h2 id={`plan-${day}`}>
                <DayName day={day} isToday={day === today} />
              </h2>
              {day >= today && <AddLink day={day} />}
            </header>
            {ofDay.map((post) => (
              <PlanCard key={post.id} post={post} drag={drag} />
            ))}
            {ofDay.length === 0 && <p className="tertiary">{m.nothing}</p>}
          </section>
        );
      })}
    </div>
  );
};
