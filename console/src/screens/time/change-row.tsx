import type { ReactNode } from 'react';
import { useNames } from '../../api/things.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { Moment } from '../../components/time.js';
import { initialsOf, isPerson, useActorName } from '../../history/actors.js';
import type { AuditedEvent, Change } from './data.js';
import { EventDetails } from './event-details.js';
import { timeMessages as m } from './messages.js';

/** Maximum length of a value in a row, in UTF-16 code units. */
const MAX_VALUE = 80;

/** A row for one changed field: what changed, when, and who changed it. */
export const ChangeRow = ({
  change: { at, aggregate, id, path, before, after, actor, event_id: eventId },
  isOpen,
  onToggle,
}: {
  readonly change: Change;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) => {
  const show = useValue();
  return (
    <Row
      at={at}
      name={useThingName()(aggregate, id)}
      actor={actor}
      eventId={eventId}
      isOpen={isOpen}
      onToggle={onToggle}
      what={
        <>
          <code>{path}</code> <del>{show(before)}</del> <span aria-hidden="true">→</span> <ins>{show(after)}</ins>
        </>
      }
    />
  );
};

/** A row for one event, showing who caused it. */
export const EventRow = ({
  event: { id, at, aggregate, aggregate_id: thingId, type, actor },
  isOpen,
  onToggle,
}: {
  readonly event: AuditedEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) => (
  <Row
    at={at}
    name={useThingName()(aggregate, thingId ?? '')}
    actor={actor}
    eventId={id}
    isOpen={isOpen}
    onToggle={onToggle}
    what={<code>{type}</code>}
  />
);

const Row = ({
  at,
  name,
  actor,
  eventId,
  what,
  isOpen,
  onToggle,
}: {
  readonly at: string;
  readonly name: string;
  readonly actor: string;
  readonly eventId: string;
  readonly what: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) => {
  const who = useActorName()(actor);
  return (
    <li className={isOpen ? 'open' : ''}>
      <button type="button" className="change-row" aria-expanded={isOpen} onClick={onToggle}>
        <span className="tertiary">
          <Moment at={at} form="seconds" />
        </span>
        <span className="change-what">
          <b>
            <bdi className="cut">{name}</bdi>
          </b>
          <span className="change-path">{what}</span>
        </span>
        <span className="change-who secondary">
          {isPerson(actor) ? <i className="person-badge">{initialsOf(who)}</i> : <Icon name="bolt" size={14} />}
          <bdi className="cut">{who}</bdi>
        </span>
      </button>
      {isOpen && <EventDetails id={eventId} />}
    </li>
  );
};

/** Returns a function that formats a field's value on one line. */
const useValue = (): ((value: unknown) => string) => (value) => {
  if (value === null || value === undefined) return m.nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

/** Returns a function that names an event's channel, project or endpoint; anything else is named by type and id. */
const useThingName = (): ((aggregate: string, id: string) => string) => {
  const names = useNames();
  return (aggregate, id) => {
    const channel = names.channel(id);
    if (channel) return `${networkTitle(channel.platform)} · ${channel.name}`;
    const endpoint = names.endpoint(id);
    return names.project(id)?.name ?? endpoint?.name ?? endpoint?.slug ?? `${aggregate} ${id}`;
  };
};
