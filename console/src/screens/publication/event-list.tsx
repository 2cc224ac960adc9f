import './event-list.css';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.js';
import { Json } from '../../components/json.js';
import { Moment } from '../../components/time.js';
import { publicationMessages as m } from './messages.js';
import type { TraceEvent } from './story.js';

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
