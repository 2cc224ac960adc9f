import './plan.css';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { PlanSearch } from '../../app/search.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { Empty, Loaded } from '../../components/states.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { format } from '../../i18n/format.js';
import { getLocale } from '../../i18n/messages.js';
import { MoveDialog } from '../../planning/move-dialog.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { postTitle } from '../../publications/shown-state.js';
import { useMay } from '../../session/rights.js';
import { browserZone, type Day, offsetName, toLocal, zoneTitle } from '../../time/local-time.js';
import { serverNow, useNow } from '../../time/server-clock.js';
import { isInMonth, type Period, periodOf, step, timeOf, type View, weekFrom, withMoved } from './calendar.js';
import { planMessages as m } from './messages.js';
import { DayList, MonthView } from './month-view.js';
import { PendingCard } from './plan-card.js';
import { PlanFilters } from './plan-filters.js';
import { type Calendar, findCard, useCalendar, useNextPlanned, usePlanDrag, usePlanKeys } from './use-plan.js';
import { middleOf, WeekView } from './week-view.js';

interface NothingPlannedProps {
  /** End of the shown period, in ms since 1970. */
  readonly after: number;
  readonly first: Day;
}

/** Shown above an empty calendar: links to the next planned post, or to Compose if there is none. */
export const NothingPlanned = ({ after, first }: NothingPlannedProps) => {
  const next = useNextPlanned(after).data;
  if (next === undefined) return null;
  if (next?.publish_at)
    return (
      <p className="secondary plan-limit">
        {m.next(when(next.publish_at))}{' '}
        <Link
          className="link"
          to="/plan"
          search={(old: PlanSearch) => ({
            ...old,
            from: toLocal(Date.parse(next.publish_at ?? ''), browserZone()).day,
          })}
        >
          {m.showNext}
        </Link>
      </p>
    );
  return (
    <Card label={m.emptyTitle} className="plan-empty">
      <Empty
        icon="calendar"
        title={m.emptyTitle}
        action={
          <ButtonLink to="/compose" search={{ day: first }}>
            {m.schedule}
          </ButtonLink>
        }
      >
        {m.emptyText}
      </Empty>
    </Card>
  );
};

interface PlanToolbarProps {
  readonly view: View;
  readonly first: Day;
  readonly days: readonly Day[];
}

/** Buttons for switching between week and month, and for going to the previous or next week or month. */
export const PlanToolbar = ({ view, first, days }: PlanToolbarProps) => {
  const navigate = useNavigate();
  const show = (next: View, from: Day | null): void => {
    const isToday = from === null || from === toLocal(serverNow(), browserZone()).day;
    const search = ({ view: _view, from: _from, ...filters }: PlanSearch): PlanSearch => ({
      ...filters,
      ...(next === 'month' && { view: next }),
      ...(!isToday && { from }),
    });
    void navigate({ to: '/plan', search });
  };
  const last = days.at(-1) ?? first;
  const shown = view === 'week' ? format.dayRange(middleOf(first), middleOf(last)) : format.month(middleOf(first));
  return (
    <div className="plan-toolbar">
      <Button
        size="small"
        aria-label={m.earlier[view]}
        title={m.earlier[view]}
        onClick={() => show(view, step(view, first, -1))}
      >
        <Icon name="chevronLeft" />
      </Button>
      <Button size="small" onClick={() => show(view, null)}>
        {m.today}
      </Button>
      <Button
        size="small"
        aria-label={m.later[view]}
        title={m.later[view]}
        onClick={() => show(view, step(view, first, 1))}
      >
        <Icon name="chevronRight" />
      </Button>
      <h2 aria-live="polite">{shown}</h2>
      <span className="plan-space" />
      <PlanFilters />
      <Segmented
        label={m.view}
        value={view}
        options={[
          { value: 'week', label: m.week },
          { value: 'month', label: m.month },
        ]}
        onChange={(next) => show(next, first)}
      />
    </div>
  );
};

const route = getRouteApi('/plan');
const MINUTE_MS = 60_000;

/** Plan: a week or a month of planned posts, in the browser's time zone. */
export const PlanScreen = () => {
  const { view = 'week', from, project, platform } = route.useSearch();
  const zone = browserZone();
  const now = useNow(MINUTE_MS);
  const today = toLocal(now, zone).day;
  const first = from ?? today;
  const period = useMemo(() => periodOf(view, first, browserZone()), [view, first]);
  const calendar = useCalendar(period, { project, platform });
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
        {m.timesIn(zoneTitle(zone, getLocale()), offsetName(now, zone))}{' '}
        {!isPhone && (calendar.data?.posts.length ?? 0) > 0 && m.drag}
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
  const mayApprove = useMay('POST /posts/{id}/approve');
  if (!calendar) return m.loading;
  const when =
    view === 'month'
      ? m.inMonth(format.month(middleOf(first)))
      : first === today
        ? m.nextDays
        : m.forDays(format.dayRange(middleOf(first), middleOf(days.at(-1) ?? first)));
  const zone = browserZone();
  const approvals = mayApprove ? m.approvals : m.waitForOthers;
  const posts = calendar.posts.filter((post) => view === 'week' || isInMonth(toLocal(timeOf(post), zone).day, first));
  const count = posts.filter(isPlanned).length;
  const pending = posts.filter(needsApproval).length;
  const planned =
    count === 0 ? m.none(when) : m.planned(count, format.number(count), calendar.shownUntil !== null, when);
  const failed = posts.filter(({ publications }) => publications.some(({ state }) => state === 'failed')).length;
  const published = posts.filter(({ publications }) => publications.some(({ state }) => state === 'published')).length;
  return [
    planned,
    pending > 0 && approvals(pending, format.number(pending)),
    published > 0 && m.published(format.number(published)),
    failed > 0 && m.failed(format.number(failed)),
  ]
    .filter(Boolean)
    .join(' ');
};

const CalendarView = ({
  calendar: { posts: found, shownUntil, shownSince },
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
      {found.length === 0 && <NothingPlanned after={to} first={first} />}
      {shownSince !== null && <p className="tertiary plan-limit">{m.limitSince(when(shownSince))}</p>}
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
    <Link className="link" to="/plan" search={weekFrom(toLocal(until, browserZone()).day)}>
      {m.showFromThere}
    </Link>
  </p>
);
