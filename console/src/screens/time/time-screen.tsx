import './time.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/scope.js';
import { useNow } from '../../time/server-clock.js';
import { ChangesCard } from './changes-card.js';
import { useTicks } from './data.js';
import { timeMessages as m } from './messages.js';
import { StateCard } from './state-card.js';
import { TimeChart } from './time-chart.js';
import { useTravel } from './travel.js';
import { HistoryVerification } from './verification.js';
import { type Span, SPANS } from './window.js';

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
      <div className="time-columns">
        <StateCard at={travel.at} />
        <ChangesCard
          at={travel.at}
          from={travel.slider.from}
          window={travel.window}
          openId={search.event}
          onOpen={travel.openEvent}
        />
      </div>
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
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === '.' && !isTyping && !event.metaKey && !event.ctrlKey) onNow();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onNow]);
};
