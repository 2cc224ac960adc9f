import type { Api } from '../../api/management.js';

type Channel = Api<'Channel'>;

/** A period when a channel or project was held back, according to the history. */
export type HistorySpan = Api<'StateSpan'>;

/** A bar on a lane: a pause, or a period when the channel was on hold or disabled. */
export interface LaneBar {
  readonly kind: 'pause' | 'project_pause' | 'hold' | 'disabled';
  /** Ms since 1970. */
  readonly from: number;
  /** Null if the end is unknown. */
  readonly to: number | null;
  /** The actor who started the pause; null if unknown. */
  readonly actor: string | null;
  /** The project that is paused; null unless this is a project's pause. */
  readonly projectId: string | null;
}

const KINDS: Readonly<Partial<Record<HistorySpan['kind'], LaneBar['kind']>>> = {
  channel_pause: 'pause',
  project_pause: 'project_pause',
  needs_attention: 'hold',
};

const toBar = ({ kind, id, from, to, actor }: HistorySpan): LaneBar => ({
  kind: KINDS[kind] ?? 'pause',
  from: Date.parse(from),
  to: to === null ? null : Date.parse(to),
  actor,
  projectId: kind === 'project_pause' ? id : null,
});

/**
 * Returns the bars for a channel. Adds a bar if the channel is disabled, or if its current pause or hold is not in the
 * history yet. For a pause or a disabled channel, that bar starts now, because the real start is unknown.
 */
export const barsOf = (
  channel: Pick<Channel, 'id' | 'status' | 'attention' | 'paused_until'>,
  projectIds: readonly string[],
  spans: readonly HistorySpan[],
  now: number,
): readonly LaneBar[] => {
  const bars = spans
    .filter(
      ({ kind, id }) =>
        ((kind === 'channel_pause' || kind === 'needs_attention') && id === channel.id) ||
        (kind === 'project_pause' && projectIds.includes(id)),
    )
    .map(toBar);
  const isGoingOn = (kind: LaneBar['kind']): boolean =>
    bars.some((bar) => bar.kind === kind && bar.from <= now && (bar.to === null || bar.to > now));
  const { status, attention, paused_until: pausedUntil } = channel;
  const end = pausedUntil === null ? 0 : Date.parse(pausedUntil);
  if (end > now && !isGoingOn('pause')) bars.push({ kind: 'pause', from: now, to: end, actor: null, projectId: null });
  if (status === 'disabled') bars.push({ kind: 'disabled', from: now, to: null, actor: null, projectId: null });
  if (attention && !isGoingOn('hold'))
    bars.push({ kind: 'hold', from: Date.parse(attention.since), to: null, actor: null, projectId: null });
  return bars;
};

/** Returns the bar for whatever is holding a channel back now. Disabling and holds take precedence over pauses. */
export const presentBar = (bars: readonly LaneBar[], now: number): LaneBar | undefined => {
  const present = bars.filter(({ from, to }) => from <= now && (to === null || to > now));
  const order: readonly LaneBar['kind'][] = ['disabled', 'hold', 'pause', 'project_pause'];
  return present.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))[0];
};
