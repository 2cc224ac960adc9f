import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Json } from '../../components/json.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import type { Publication } from '../../publications/states.js';
import { EventList } from './event-list.js';
import { publicationMessages as m } from './messages.js';
import type { StoryContext } from './step-text.js';
import { buildStory, eventsOf } from './story.js';
import { StoryView } from './story-view.js';

/** Returns the query for everything that happened to a publication, from the request to the network's message ids. */
export const useTrace = (id: string) =>
  useQuery({
    queryKey: ['history', 'trace', id],
    queryFn: () => management().get('/history/trace/{id}', { path: { id } }),
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
