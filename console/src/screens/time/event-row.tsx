import { endpointName, useChannels, useEndpoints, useNames, useProjects } from '../../api/things.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { Moment } from '../../components/time.js';
import { initialsOf, isPerson, useActorName } from '../../history/actors.js';
import { type EventFilter, type ListedEvent, usePastThing } from './data.js';
import { EventDetails } from './event-details.js';
import { describeEvent, type Thing, thingOf } from './event-sentence.js';

interface EventRowProps {
  readonly event: ListedEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onFilter: (filter: EventFilter) => void;
}

/** A row for one event: when, what happened, and who did it. Expands to show the details and the proof. */
export const EventRow = ({ event, isOpen, onToggle, onFilter }: EventRowProps) => {
  const thing = thingOf(event);
  const { name, platform } = useThing(thing, event.at);
  const who = useActorName()(event);
  return (
    <li className={isOpen ? 'open' : ''}>
      <button type="button" className="change-row" aria-expanded={isOpen} onClick={onToggle}>
        <span className="tertiary">
          <Moment at={event.at} form="seconds" />
        </span>
        <span className="change-mark">{platform !== null && <NetworkMark platform={platform} size={16} />}</span>
        <span className="change-what">
          <SentenceText of={describeEvent(event, name)} />
        </span>
        <span className="change-who secondary">
          {isPerson(event.actor) ? <i className="person-badge">{initialsOf(who)}</i> : <Icon name="bolt" size={14} />}
          <bdi className="cut">{who}</bdi>
        </span>
      </button>
      {isOpen && <EventDetails event={event} thing={thing} name={name} who={who} onFilter={onFilter} />}
    </li>
  );
};

interface Known {
  readonly name: string | null;
  readonly platform: string | null;
}

/** Looks up a thing's name and network; in the history if no list has the thing. */
const useThing = (thing: Thing | null, at: string): Known => {
  const names = useNames();
  const endpoint = thing ? names.endpoint(thing.id) : undefined;
  const known = thing && (names.channel(thing.id) ?? names.project(thing.id) ?? endpoint);
  const lists = [useChannels().data, useProjects().data, useEndpoints().data];
  const isGone = thing !== null && !known && lists.every((list) => list !== undefined);
  const past = usePastThing(thing?.aggregate ?? '', thing?.id ?? '', at, isGone).data;
  const state = (known ?? past?.state ?? {}) as Readonly<Record<'name' | 'slug' | 'url' | 'platform', unknown>>;
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return {
    name: endpoint ? endpointName(endpoint) : (text(state.name) ?? text(state.slug) ?? text(state.url)),
    platform: thing?.aggregate === 'channel' ? text(state.platform) : null,
  };
};
