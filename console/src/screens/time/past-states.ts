import type { IconName, Tone } from '../../components/icon.js';
import type { Format } from '../../i18n/format.js';
import type { Past } from './data.js';
import type { timeMessages } from './messages.js';

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
          ? { ...ACTIVE, label: interval > 0 ? m.states.onEvery(interval) : m.states.on }
          : {
              icon: 'switchedOff' as const,
              tone: by === 'owner' ? ('idle' as const) : ('warn' as const),
              label: m.states.off[by],
            };
      return { id, name: text(state, 'name') || text(state, 'slug'), platform: null, ...shown };
    }),
  };
};
