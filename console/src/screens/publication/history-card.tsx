import './event-list.css';
import './story-view.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Json } from '../../components/code.js';
import { Segmented } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import type { Publication } from '../../publications/states.js';
import { useMay } from '../../session/rights.js';
import { useNow } from '../../time/server-clock.js';
import { publicationMessages as m } from './messages.js';
import { StepText, type StoryContext } from './step-text.js';
import { buildStory, eventsOf, type Step, STEP_LOOKS, type TraceEvent } from './story.js';

/** The events behind a story, oldest first. Each event expands to show its data. */
export const EventList = ({ events }: { readonly events: readonly TraceEvent[] }) => (
  <ol className="event-list">
    {events.map((event) => (
      <li key={event.id}>
        <details>
          <summary>
            <Icon name="chevronRight" size={14} />
            <Moment at={event.at} form="millis" />
            <span className="mono event-type">{event.type}</span>
            <bdi className="tertiary cut">{event.actor}</bdi>
          </summary>
          <p className="event-facts tertiary">
            <span>{m.position(event.position)}</span>
            <span className="mono">{event.id}</span>
            <Link className="link" to="/time" search={{ at: event.at, event: event.id }}>
              {m.atThatTime}
            </Link>
          </p>
          {event.data === 'erased' ? <p className="tertiary">{m.erased}</p> : <Json value={event.data} />}
        </details>
      </li>
    ))}
  </ol>
);

/** A publication's story in words: a line for each step, and a dashed line with its length for each wait. */
export const StoryView = ({ steps, ...context }: StoryContext & { readonly steps: readonly Step[] }) => {
  const today = format.day(useNow(60_000));
  const dayOf = (step: Step | undefined): string => (step?.at ? format.day(step.at) : today);
  return (
    <ol className="story">
      {steps.map((step, index) => {
        const look = STEP_LOOKS[step.kind];
        const isNewDay = dayOf(step) !== (index === 0 ? today : dayOf(steps[index - 1]));
        return (
          <li key={step.key} className={step.kind === 'wait' || step.kind === 'now' ? 'waiting' : ''}>
            <span className="story-time">
              {isNewDay && <small>{dayOf(step)}</small>}
              {step.at === null ? m.now : <Moment at={step.at} form="millis" />}
            </span>
            <span className={`story-dot ${look ? '' : 'plain'}`}>
              {look && <Icon name={look.icon} tone={look.tone} />}
            </span>
            <div className="story-text">
              <StepText step={step} context={context} />
            </div>
          </li>
        );
      })}
    </ol>
  );
};

/** Returns the query for everything that happened to a publication, from the request to the network's message ids. */
export const useTrace = (id: string) =>
  useQuery({
    queryKey: ['history', 'trace', id],
    queryFn: () => management().get('/history/trace/{id}', { path: { id } }),
    enabled: useMay('GET /history/trace/{id}'),
  });

/** The history of a publication, shown as a story, as events or as JSON. All three show the same events. */
export const HistoryCard = ({
  publication,
  ...context
}: Omit<StoryContext, 'request'> & { readonly publication: Publication }) => {
  const [view, setView] = useState<'story' | 'events' | 'json'>('story');
  const trace = useTrace(publication.id);
  const events = eventsOf(trace.data?.events ?? [], publication);
  return (
    <Card
      title={m.history}
      aside={
        <Segmented
          label={m.view}
          value={view}
          options={[
            { value: 'story', label: m.story },
            { value: 'events', label: m.events(format.number(events.length)) },
            { value: 'json', label: m.json },
          ]}
          onChange={setView}
        />
      }
    >
      <Loaded query={trace} rows={6}>
        {({ request }) => (
          <>
            {events.length === 0 && <p className="card-body secondary">{m.storyGone}</p>}
            {view === 'story' && (
              <StoryView
                steps={buildStory(events, publication)}
                publication={publication}
                request={request}
                {...context}
              />
            )}
            {view === 'events' && <EventList events={events} />}
            {view === 'json' && (
              <div className="card-body">
                <Json value={{ publication, request, events }} depth={2} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
};
