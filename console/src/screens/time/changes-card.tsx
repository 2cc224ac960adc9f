import { type ReactNode, useState } from 'react';
import { endpointName, useNames } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { initialsOf, isPerson, useActorName } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { type AuditedEvent, type Change, useDifferences, useEvents, useThrottled } from './data.js';
import { EventDetails } from './event-details.js';
import { timeMessages as m } from './messages.js';
import type { TimeWindow } from './window.js';

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

interface RowProps {
  readonly at: string;
  readonly name: string;
  readonly actor: string;
  readonly eventId: string;
  readonly what: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

const Row = ({ at, name, actor, eventId, what, isOpen, onToggle }: RowProps) => {
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
    return names.project(id)?.name ?? (endpoint && endpointName(endpoint)) ?? `${aggregate} ${id}`;
  };
};

type View = 'compared' | 'since' | 'events';

interface ChangesCardProps {
  /** The selected moment, in ms since 1970; null for now. */
  readonly at: number | null;
  readonly from: number | null;
  readonly window: TimeWindow;
  /** Id of the event whose details are open. */
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** Lists the changes between the two handles, the changes since the selected moment, or every event in the window. */
export const ChangesCard = ({ at, from, window, openId, onOpen }: ChangesCardProps) => {
  const [chosen, setChosen] = useState<View | null>(null);
  const usual: View = from !== null ? 'compared' : at === null ? 'events' : 'since';
  const view =
    chosen === 'compared' && from === null ? usual : chosen === 'since' && at === null ? usual : (chosen ?? usual);
  const options = [
    ...(from === null
      ? []
      : [{ value: 'compared' as const, label: m.tabCompared(format.time(from), format.time(at ?? window.to)) }]),
    ...(at === null ? [] : [{ value: 'since' as const, label: m.tabSince(format.time(at)) }]),
    { value: 'events' as const, label: m.tabEvents },
  ];
  return (
    <Card
      className="changes-card"
      title={m.changed}
      aside={<Segmented label={m.view} value={view} options={options} onChange={setChosen} />}
    >
      {view === 'events' && <Events window={window} openId={openId} onOpen={onOpen} />}
      {view === 'since' && at !== null && <Differences from={at} to={null} openId={openId} onOpen={onOpen} />}
      {view === 'compared' && from !== null && <Differences from={from} to={at} openId={openId} onOpen={onOpen} />}
    </Card>
  );
};

interface Opening {
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const Differences = ({ from, to, openId, onOpen }: { readonly from: number; readonly to: number | null } & Opening) => {
  const differences = useDifferences(useThrottled(from), useThrottled(to));
  return (
    <Loaded query={differences}>
      {({ changes, truncated }) => (
        <>
          {changes.length === 0 && <p className="card-body secondary">{m.noChanges}</p>}
          <ul className="change-list">
            {changes
              .toSorted((a, b) => b.at.localeCompare(a.at))
              .map((change) => (
                <ChangeRow
                  key={`${change.aggregate} ${change.id} ${change.path}`}
                  change={change}
                  isOpen={change.event_id === openId}
                  onToggle={() => onOpen(change.event_id === openId ? undefined : change.event_id)}
                />
              ))}
          </ul>
          {truncated && <p className="card-body secondary">{m.truncated}</p>}
        </>
      )}
    </Loaded>
  );
};

const Events = ({ window, openId, onOpen }: { readonly window: TimeWindow } & Opening) => {
  const events = useEvents(window);
  return (
    <Loaded query={events}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        return (
          <>
            {items.length === 0 && <p className="card-body secondary">{m.noEvents}</p>}
            <ul className="change-list">
              {items.map((event) => (
                <EventRow
                  key={event.id}
                  event={event}
                  isOpen={event.id === openId}
                  onToggle={() => onOpen(event.id === openId ? undefined : event.id)}
                />
              ))}
            </ul>
            {events.hasNextPage && (
              <div className="card-body changes-more">
                <Button busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
                  {m.showMore}
                </Button>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
};
