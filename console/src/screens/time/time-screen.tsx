import './time.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Api, management, queryClient } from '../../api/management.js';
import type { TimeSearch } from '../../app/search.js';
import { Button } from '../../components/button.js';
import { Columns, PageHead } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { isTyping } from '../../components/is-typing.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/session.js';
import { useNow } from '../../time/server-clock.js';
import { type EventFilter, type Kind, KINDS, useTicks } from './data.js';
import { EventsCard } from './events-card.js';
import { timeMessages as m } from './messages.js';
import { StateCard } from './state-card.js';
import { TimeChart } from './time-chart.js';
import { useTravel } from './travel.js';
import { type Span, SPANS } from './window.js';

interface Verification {
  readonly events: number;
  readonly broken: readonly { readonly stream: string; readonly revision: number; readonly reason: string }[];
}

/** Maximum number of broken events to list; the message gives the total. */
const MAX_NAMED = 5;

/** For operators: the result of the last verification of the history, and a button that starts another. */
export const HistoryVerification = () => {
  const [isAsking, setIsAsking] = useState(false);
  const job = useQuery({
    queryKey: ['jobs', 'verify-history'],
    queryFn: async (): Promise<Api<'Job'> | null> => {
      const { items } = await management().get('/jobs', { query: { limit: 100 } });
      return items.find(({ kind }) => kind === 'verify-history') ?? null;
    },
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 1000 : false),
  }).data;
  const result = job?.state === 'done' ? (job.result as Verification) : null;
  return (
    <div className="history-verification">
      {job?.state === 'running' && <span role="status">{m.verifying(format.percent(job.progress))}</span>}
      {result && result.broken.length === 0 && (
        <span className="tone-ok">
          <Icon name="shield" size={14} /> {m.verified(format.number(result.events))}
        </span>
      )}
      <Button needs="POST /history/verify" size="small" onClick={() => setIsAsking(true)}>
        {m.verify}
      </Button>
      {result && result.broken.length > 0 && <Broken broken={result.broken} />}
      {isAsking && (
        <Confirmation
          title={m.verifyTitle}
          consequences={[happens(m.verifyHappens), risk(m.verifyRisk), stays(m.verifyStays)]}
          verb={m.verifyVerb}
          run={async () => {
            await management().post('/history/verify', { body: {} });
            await queryClient.invalidateQueries({ queryKey: ['jobs'] });
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
};

const Broken = ({ broken }: { readonly broken: Verification['broken'] }) => (
  <div className="history-broken" role="alert">
    <Icon name="failed" tone="fail" />
    <span>
      <b>{m.broken(broken.length)}</b>{' '}
      {broken.slice(0, MAX_NAMED).map(({ stream, revision, reason }) => (
        <span key={`${stream} ${revision}`} className="mono">
          {stream} @{revision} ({m.reasons[reason as keyof typeof m.reasons] ?? reason}){' '}
        </span>
      ))}
    </span>
  </div>
);

/** Returns the filters in the URL; ignores an unknown kind. */
const readFilter = ({ kind, thing, by }: TimeSearch): EventFilter => ({
  kind: kind !== undefined && Object.hasOwn(KINDS, kind) ? (kind as Kind) : undefined,
  thing,
  by,
});

/** Number of bars to fetch event counts for. */
const BUCKETS = 150;

/** The time machine: what things looked like at a given time, what has changed since, who changed it, and the proof. */
export const TimeScreen = () => {
  const scope = useScope();
  const search = useSearch({ from: '/time' });
  const navigate = useNavigate({ from: '/time' });
  const travel = useTravel(search, navigate);
  const ticks = useTicks(travel.loaded, BUCKETS);
  useBackToNow(travel.slider.onNow);
  return (
    <>
      <Head travel={travel} />
      {scope.isOperator && <HistoryVerification />}
      <Loaded query={ticks}>
        {(data) => <TimeChart ticks={data} slider={travel.slider} onOpenEvent={travel.openEventAt} />}
      </Loaded>
      <Columns first="0.82fr">
        <StateCard at={travel.at} />
        <EventsCard
          at={travel.at}
          from={travel.slider.from}
          window={travel.window}
          filter={readFilter(search)}
          onFilter={travel.setFilter}
          openId={search.event}
          onOpen={travel.openEvent}
        />
      </Columns>
      <span className="visually-hidden" role="status">
        {travel.notice === null ? '' : m[travel.notice]}
      </span>
    </>
  );
};

const Head = ({ travel }: { readonly travel: ReturnType<typeof useTravel> }) => {
  const now = useNow(1000);
  const { at, span, slider } = travel;
  const spans = (Object.keys(SPANS) as Span[]).map((value) => ({ value, label: m.spans[value] }));
  return (
    <PageHead
      title={
        at === null ? (
          m.nowTitle
        ) : (
          <>
            {format.longDay(at)}, <span className="tone-time">{format.seconds(at)}</span>
          </>
        )
      }
      actions={
        <>
          <Segmented label={m.span} value={span} options={spans} onChange={travel.setSpan} />
          <Button aria-label={m.previous} title={m.previous} onClick={() => slider.onStep('events', -1)}>
            ‹
          </Button>
          <Button aria-label={m.next} title={m.next} onClick={() => slider.onStep('events', 1)}>
            ›
          </Button>
          {at !== null && (
            <Button look="primary" onClick={slider.onNow}>
              {m.back}
            </Button>
          )}
        </>
      }
    >
      {at === null ? m.nowText : m.ago(format.duration(now - at))}
    </PageHead>
  );
};

/** Returns to now when the key `.` is pressed. */
const useBackToNow = (onNow: () => void): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === '.' && !isTyping(event.target) && !event.metaKey && !event.ctrlKey) onNow();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onNow]);
};
