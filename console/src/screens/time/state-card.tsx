import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { endpointName, useNames } from '../../api/things.js';
import { Button, ButtonLink, CopyButton } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { TextInput } from '../../components/controls.js';
import { Icon, type IconName, NetworkMark, Pill, type Tone } from '../../components/icon.js';
import { Empty, Loaded } from '../../components/states.js';
import { type Format, format } from '../../i18n/format.js';
import { serverNow } from '../../time/server-clock.js';
import { type Past, usePast, useThrottled } from './data.js';
import { timeMessages as m, type timeMessages } from './messages.js';

/** A short description of a channel, project or endpoint at a time in the past. */
export interface PastThing {
  readonly id: string;
  readonly name: string;
  /** Null for endpoints and projects. */
  readonly platform: string | null;
  readonly label: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

/** The channels, projects and endpoints at a point in time. */
export interface PastThings {
  readonly channels: readonly PastThing[];
  readonly projects: readonly PastThing[];
  readonly endpoints: readonly PastThing[];
}

type Texts = (typeof timeMessages)['en'];
type State = Readonly<Record<string, unknown>>;

const ACTIVE = { icon: 'published', tone: 'ok' } as const;

/** Describes the channels, projects and endpoints that existed at a given time. Omits those deleted by then. */
export const describePast = (past: Past, at: number, m: Texts, format: Format): PastThings => {
  const pausedUntil = (pauses: Past['channel_pauses'], id: string): number | null => {
    const until = pauses.find((pause) => pause.id === id)?.state['paused_until'];
    const end = typeof until === 'string' ? Date.parse(until) : NaN;
    return end > at ? end : null;
  };
  const paused = (until: number) => ({
    icon: 'paused' as const,
    tone: 'idle' as const,
    label: m.states.paused(format.moment(until, at)),
  });
  const alive = ({ state }: { readonly state: State }): boolean => state['deleted_at'] === null;
  const text = (state: State, field: string): string => {
    const value = state[field];
    return typeof value === 'string' ? value : '';
  };
  return {
    channels: past.channels.filter(alive).map(({ id, state }) => {
      const until = pausedUntil(past.channel_pauses, id);
      const shown =
        state['enabled'] === false
          ? { icon: 'switchedOff' as const, tone: 'idle' as const, label: m.states.disabled }
          : state['attention'] !== null
            ? { icon: 'onHold' as const, tone: 'warn' as const, label: m.states.on_hold }
            : until === null
              ? { ...ACTIVE, label: m.states.active }
              : paused(until);
      return { id, name: text(state, 'name'), platform: text(state, 'platform'), ...shown };
    }),
    projects: past.projects.filter(alive).map(({ id, state }) => {
      const until = pausedUntil(past.project_pauses, id);
      const shown = until === null ? { ...ACTIVE, label: m.states.active } : paused(until);
      return { id, name: text(state, 'name'), platform: null, ...shown };
    }),
    endpoints: past.endpoints.filter(alive).map(({ id, state }) => {
      const by = state['disabled_by'] as 'owner' | 'rate_limits' | 'plan' | null;
      const interval = Number(state['min_interval'] ?? 0);
      const shown =
        by === null
          ? { ...ACTIVE, label: interval > 0 ? m.states.onEvery(format.exact(interval * 1000)) : m.states.on }
          : {
              icon: 'switchedOff' as const,
              tone: by === 'owner' ? ('idle' as const) : ('warn' as const),
              label: m.states.off[by],
            };
      return { id, name: text(state, 'name') || text(state, 'slug'), platform: null, ...shown };
    }),
  };
};

/**
 * The state of channels, projects and endpoints at a given time, next to their current state.
 * @param at null for now
 */
export const StateCard = ({ at }: { readonly at: number | null }) => {
  const router = useRouter();
  const asked = useThrottled(at);
  const past = usePast(asked);
  const present = usePast(null);
  const names = useNames();
  const link = (): string => {
    const search = at === null ? {} : { at: new Date(at).toISOString() };
    return location.origin + router.buildLocation({ to: '/time', search }).href;
  };
  return (
    <Card
      className={`state-card ${past.isPlaceholderData ? 'stale' : ''}`}
      title={at === null ? m.asItIs : m.asItWas(format.seconds(at))}
      aside={
        <CopyButton text={link} look="quiet">
          {m.copyLink}
        </CopyButton>
      }
    >
      <Loaded query={past} rows={8}>
        {(then) => {
          // The history does not say which endpoint is the console's own, which has no name.
          const nameOwn = (thing: PastThing): PastThing => {
            const endpoint = names.endpoint(thing.id);
            return endpoint?.is_console ? { ...thing, name: endpointName(endpoint) } : thing;
          };
          const things = describePast(then, asked ?? serverNow(), m, format);
          const now = present.data && describePast(present.data, serverNow(), m, format);
          if (things.channels.length + things.projects.length + things.endpoints.length === 0)
            return (
              <Empty
                icon="timeMachine"
                title={m.nothingThen}
                action={
                  at === null ? (
                    <ButtonLink to="/channels/new">{m.connect}</ButtonLink>
                  ) : (
                    <ButtonLink to="/time">{m.back}</ButtonLink>
                  )
                }
              />
            );
          return (
            <>
              <Group title={m.channels} things={things.channels} now={at === null ? undefined : now?.channels} />
              <Group title={m.projects} things={things.projects} now={at === null ? undefined : now?.projects} />
              <Group
                title={m.endpoints}
                things={things.endpoints.map(nameOwn)}
                now={at === null ? undefined : now?.endpoints}
              />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
};

interface GroupProps {
  readonly title: string;
  readonly things: readonly PastThing[];
  /** The current state; undefined while it is loading or if `things` already shows it. */
  readonly now: readonly PastThing[] | undefined;
}

/** Number of things that a group shows at first, and that each click on “more” adds. */
const SHOWN = 12;
const STEP = 50;

/** Sorts things that are not active, or have changed since, to the front. */
const sortThings = (things: readonly PastThing[], now: ReadonlyMap<string, PastThing> | null): readonly PastThing[] => {
  const isPlain = (thing: PastThing): boolean =>
    thing.icon === 'published' && (now === null || now.get(thing.id)?.label === thing.label);
  return things.toSorted((a, b) => Number(isPlain(a)) - Number(isPlain(b)));
};

const Group = ({ title, things, now }: GroupProps) => {
  const [count, setCount] = useState(SHOWN);
  const [find, setFind] = useState('');
  const present = useMemo(() => (now ? new Map(now.map((thing) => [thing.id, thing])) : null), [now]);
  const sorted = useMemo(() => sortThings(things, present), [things, present]);
  if (things.length === 0) return null;
  const found = sorted.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()));
  return (
    <section className="state-group" aria-label={title}>
      <h3>
        <span>
          {title} {things.length > SHOWN && <small className="tertiary">{format.number(things.length)}</small>}
        </span>
        {now && <span>{m.andNow}</span>}
      </h3>
      {things.length > SHOWN && (
        <TextInput
          type="search"
          className="state-find"
          aria-label={`${m.findState}: ${title}`}
          placeholder={m.findState}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      )}
      <ul>
        {found.slice(0, count).map((thing) => (
          <li key={thing.id}>
            {thing.platform === null ? (
              <Icon name={title === m.endpoints ? 'endpoint' : 'project'} />
            ) : (
              <NetworkMark platform={thing.platform} />
            )}
            <bdi className="cut" title={thing.name}>
              {thing.name}
            </bdi>
            <Pill icon={thing.icon} tone={thing.tone}>
              {thing.label}
            </Pill>
            {present && <Now then={thing} now={present.get(thing.id)} />}
          </li>
        ))}
      </ul>
      {found.length > count && (
        <Button look="quiet" className="state-more" onClick={() => setCount(count + STEP)}>
          {m.moreThings(format.number(found.length - count))}
        </Button>
      )}
    </section>
  );
};

const Now = ({ then, now }: { readonly then: PastThing; readonly now: PastThing | undefined }) => {
  if (now?.label === then.label) return <span className="state-now tertiary">{m.asNow}</span>;
  return <span className="state-now tone-time">{now ? now.label : m.gone}</span>;
};
