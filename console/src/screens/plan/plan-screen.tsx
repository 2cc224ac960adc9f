import './plan.css';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Loaded } from '../../components/states.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { format } from '../../i18n/format.js';
import { MoveDialog } from '../../planning/move-dialog.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { postTitle } from '../../publications/posts.js';
import { browserZone, offsetName, toLocal } from '../../time/local-time.js';
import { useNow } from '../../time/server-clock.js';
import { isInMonth, type Period, periodOf, withMoved } from './calendar.js';
import { middleOf } from './day-head.js';
import { DayList } from './day-list.js';
import { planMessages as m } from './messages.js';
import { MonthView } from './month-view.js';
import { NothingPlanned } from './nothing-planned.js';
import { PendingCard } from './pending-card.js';
import { PlanToolbar } from './plan-toolbar.js';
import { type Calendar, useCalendar } from './use-calendar.js';
import { usePlanDrag } from './use-plan-drag.js';
import { findCard, usePlanKeys } from './use-plan-keys.js';
import { WeekView } from './week-view.js';

const route = getRouteApi('/plan');
const MINUTE_MS = 60_000;

/** Plan: a week or a month of planned posts, in the browser's time zone. */
export const PlanScreen = () => {
  const { view = 'week', from } = route.useSearch();
  const zone = browserZone();
  const now = useNow(MINUTE_MS);
  const today = toLocal(now, zone).day;
  const first = from ?? today;
  const period = useMemo(() => periodOf(view, first, browserZone()), [view, first]);
  const calendar = useCalendar(period);
  const isPhone = useIsPhone();
  return (
    <>
      <PageHead
        title={<PlanTitle calendar={calendar.data} view={view} first={first} today={today} days={period.days} />}
        actions={
          <ButtonLink look="primary" icon="compose" to="/compose" search={{ day: first < today ? today : first }}>
            {m.schedule}
          </ButtonLink>
        }
      >
        {m.timesIn(zone, offsetName(now, zone))} {!isPhone && (calendar.data?.posts.length ?? 0) > 0 && m.drag}
      </PageHead>
      <PlanToolbar view={view} first={first} days={period.days} />
      <PendingCard />
      {calendar.data ? (
        <CalendarView calendar={calendar.data} view={view} first={first} period={period} />
      ) : (
        <Card label={m.calendar}>
          <Loaded query={calendar} rows={10}>
            {() => null}
          </Loaded>
        </Card>
      )}
    </>
  );
};

interface ViewProps {
  readonly view: 'week' | 'month';
  readonly first: string;
  readonly days: readonly string[];
}

/** The heading: how many posts are planned for the shown days, and how many of them need approval. */
const PlanTitle = ({
  calendar,
  view,
  first,
  today,
  days,
}: ViewProps & { readonly calendar: Calendar | undefined; readonly today: string }) => {
  if (!calendar) return m.loading;
  const when =
    view === 'month'
      ? m.inMonth(format.month(middleOf(first)))
      : first === today
        ? m.nextDays
        : m.forDays(format.dayRange(middleOf(first), middleOf(days.at(-1) ?? first)));
  const zone = browserZone();
  const posts = calendar.posts.filter(
    ({ publish_at: at }) => view === 'week' || (at !== null && isInMonth(toLocal(Date.parse(at), zone).day, first)),
  );
  const count = posts.filter(isPlanned).length;
  const pending = posts.filter(needsApproval).length;
  const planned =
    count === 0 ? m.none(when) : m.planned(count, format.number(count), calendar.shownUntil !== null, when);
  return pending === 0 ? planned : `${planned} ${m.approvals(pending, format.number(pending))}`;
};

const CalendarView = ({
  calendar: { posts: found, shownUntil },
  view,
  first,
  period: { days, to },
}: Omit<ViewProps, 'days'> & { readonly calendar: Calendar; readonly period: Period }) => {
  const isPhone = useIsPhone();
  const drag = usePlanDrag();
  const { asked } = drag;
  usePlanKeys();
  const posts = useMemo(() => withMoved(found, drag.moving), [found, drag.moving]);
  return (
    <>
      {found.length === 0 && <NothingPlanned after={to} view={view} first={first} />}
      {shownUntil !== null && <TooMany count={found.length} until={shownUntil} />}
      <div data-dragging={drag.isDragging || undefined}>
        {view === 'week' && isPhone ? (
          <DayList days={days} posts={posts} drag={drag} />
        ) : (
          <Card label={m.calendar}>
            {view === 'month' ? (
              <MonthView
                days={days}
                first={first}
                posts={posts}
                shownUntil={shownUntil === null ? null : toLocal(shownUntil, browserZone()).day}
                drag={drag}
              />
            ) : (
              <WeekView days={days} posts={posts} drag={drag} />
            )}
          </Card>
        )}
      </div>
      {asked && (
        <MoveDialog
          post={asked.post}
          title={postTitle(asked.post, m.media)}
          {...(asked.wanted && { wanted: asked.wanted })}
          returnFocus={() => findCard(asked.post.id)}
          onClose={() => drag.ask(null)}
        />
      )}
    </>
  );
};

/** Shows how far into the period posts were loaded, and links to later posts. */
const TooMany = ({ count, until }: { readonly count: number; readonly until: number }) => (
  <p className="tertiary plan-limit">
    {m.limit(format.number(count), when(until))}{' '}
    <Link className="link" to="/plan" search={{ from: toLocal(until, browserZone()).day }}>
      {m.showFromThere}
    </Link>
  </p>
);
