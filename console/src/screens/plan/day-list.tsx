import { useMemo } from 'react';
import type { Post } from '../../publications/posts.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { groupByDay, timeOf } from './calendar.js';
import { AddLink, DayName } from './day-head.js';
import { planMessages as m } from './messages.js';
import { PlanCard } from './plan-card.js';
import type { PlanDrag } from './use-plan-drag.js';

const MINUTE_MS = 60_000;

/** The week view for phones: seven days, one below the other. */
export const DayList = ({
  days,
  posts,
  drag,
}: {
  readonly days: readonly Day[];
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}) => {
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
