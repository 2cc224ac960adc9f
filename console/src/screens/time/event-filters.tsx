import { useId, useState } from 'react';
import { endpointName, useChannels, useEndpoints, useProjects } from '../../api/things.js';
import { Chip, TextInput } from '../../components/controls.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.js';
import { useActorName } from '../../history/actors.js';
import { type EventFilter, type Kind, KINDS, useTicks } from './data.js';
import { timeMessages as m } from './messages.js';
import type { TimeWindow } from './window.js';

interface EventFiltersProps {
  readonly filter: EventFilter;
  /** People who changed something in this period can be chosen. */
  readonly window: TimeWindow;
  readonly onChange: (filter: EventFilter) => void;
}

/** Filters events by kind, person and thing. */
export const EventFilters = ({ filter, window, onChange }: EventFiltersProps) => (
  <div className="event-filters" role="group" aria-label={m.filters}>
    <Chip isOn={filter.kind === undefined} onClick={() => onChange({ ...filter, kind: undefined })}>
      {m.kinds.usual}
    </Chip>
    {(Object.keys(KINDS) as Kind[]).map((kind) => (
      <Chip key={kind} isOn={filter.kind === kind} onClick={() => onChange({ ...filter, kind })}>
        {m.kinds[kind]}
      </Chip>
    ))}
    <PersonFilter filter={filter} window={window} onChange={onChange} />
    <ThingFilter filter={filter} onChange={onChange} />
  </div>
);

const PersonFilter = ({ filter, window, onChange }: EventFiltersProps) => {
  const actorName = useActorName();
  const changes = useTicks(window, 1).data?.changes ?? [];
  const people = new Map(changes.map((change) => [change.actor, actorName(change)]));
  if (filter.by !== undefined && !people.has(filter.by)) people.set(filter.by, actorName({ actor: filter.by }));
  if (people.size === 0) return null;
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="chip" data-on={filter.by !== undefined}>
          <Icon name="person" size={14} />
          <bdi className="cut">{filter.by === undefined ? m.everyone : people.get(filter.by)}</bdi>
          <Icon name="chevronDown" size={12} />
        </button>
      }
    >
      <MenuItem isChecked={filter.by === undefined} onSelect={() => onChange({ ...filter, by: undefined })}>
        {m.everyone}
      </MenuItem>
      <MenuSeparator />
      {[...people].map(([actor, name]) => (
        <MenuItem key={actor} isChecked={actor === filter.by} onSelect={() => onChange({ ...filter, by: actor })}>
          <bdi className="cut">{name}</bdi>
        </MenuItem>
      ))}
    </Menu>
  );
};

/** Maximum number of suggestions; people type more to see others. */
const SUGGESTED = 20;

/** Returns the channels, sets and endpoints whose labels contain all words of a text, or whose id is the text. */
const useThings = (find: string): readonly { readonly id: string; readonly label: string }[] => {
  const channels = useChannels().data ?? [];
  const projects = useProjects().data ?? [];
  const endpoints = useEndpoints().data ?? [];
  const all = [
    ...projects.map(({ id, name }) => ({ id, label: name })),
    ...channels.map(({ id, name, platform, address }) => ({
      id,
      label: [networkTitle(platform), name, address.chat_id ?? address.group_id].filter(Boolean).join(' · '),
    })),
    ...endpoints.map((endpoint) => ({ id: endpoint.id, label: endpointName(endpoint) })),
  ];
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ id, label }) => id === find || words.every((word) => label.toLowerCase().includes(word)));
};

const ThingFilter = ({ filter, onChange }: Omit<EventFiltersProps, 'window'>) => {
  const listId = useId();
  const [text, setText] = useState('');
  const found = useThings(filter.thing ?? text);
  if (filter.thing !== undefined)
    return (
      <button
        type="button"
        className="chip"
        data-on="true"
        title={m.anyThing}
        onClick={() => onChange({ ...filter, thing: undefined })}
      >
        <bdi className="cut">{found.find(({ id }) => id === filter.thing)?.label ?? m.oneThing}</bdi>
        <Icon name="close" size={12} label={m.anyThing} />
      </button>
    );
  const type = (value: string): void => {
    const chosen = found.find(({ label }) => label === value);
    setText(chosen ? '' : value);
    if (chosen) onChange({ ...filter, thing: chosen.id });
  };
  return (
    <>
      <TextInput
        type="search"
        className="thing-filter"
        aria-label={m.findThing}
        placeholder={m.findThing}
        list={listId}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <datalist id={listId}>
        {found.slice(0, SUGGESTED).map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </>
  );
};
