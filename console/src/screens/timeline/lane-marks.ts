import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';
import type { Author } from '../../history/actors.js';
import { causeOf, waitsForPerson } from '../../publications/describe-waiting.js';
import { type Post, type Publication, SEVERITY, type ShownState, shownState } from '../../publications/shown-state.js';

/** A publication on its channel's lane. */
export interface Mark {
  /**
   * When the publication was published, was last attempted or will be published; otherwise when the post was accepted.
   * In ms since 1970.
   */
  readonly at: number;
  readonly state: ShownState;
  readonly publication: Publication;
  readonly post: Post;
}

/** Marks that are too close together to be drawn separately. */
export interface MarkGroup {
  /** Time of the earliest mark. */
  readonly at: number;
  /** The worst state among the marks. */
  readonly state: ShownState;
  /**
   * Number of marks to show. Counts all marks if each is being published, published, filtered, dismissed or taken back;
   * otherwise, counts only the marks in the worst state.
   */
  readonly count: number;
  /** The marks, worst state first. */
  readonly marks: readonly Mark[];
}

const MINUTE = 60_000;

/** Returns where a publication goes on its lane, in ms since 1970, regardless of its position in a backlog. */
const markTime = (publication: Publication, acceptedAt: number, now: number): number => {
  const { state, published_at: publishedAt, attempts, waiting_for: waitingFor } = publication;
  const attempt = attempts.at(-1);
  switch (state) {
    case 'published':
    case 'withdrawing':
    case 'withdrawn':
    case 'withdraw_failed':
      return Date.parse(publishedAt ?? attempt?.started_at ?? '') || acceptedAt;
    case 'publishing':
      return Date.parse(attempt?.started_at ?? '') || acceptedAt;
    case 'failed':
    case 'in_doubt':
      return Date.parse(attempt?.ended_at ?? attempt?.started_at ?? '') || acceptedAt;
    case 'filtered':
    case 'dismissed':
      return acceptedAt;
    case 'planned':
    case 'queued':
      if (waitsForPerson(publication)) return acceptedAt;
      return waitingFor?.until ? Math.max(now, Date.parse(waitingFor.until)) : acceptedAt;
  }
};

const isHeldByPause = (publication: Publication): boolean => {
  const cause = causeOf(publication);
  return publication.state === 'queued' && (cause === 'channel_pause' || cause === 'project_pause');
};

/**
 * Returns the marks of each channel, earliest first. Publications held back by a pause are shown one minute apart,
 * because after the pause, one is published per minute.
 * @param matches selects the publications to show
 */
export const marksByChannel = (
  posts: Iterable<Post>,
  now: number,
  matches: (publication: Publication) => boolean,
): ReadonlyMap<string, readonly Mark[]> => {
  const lanes = new Map<string, Mark[]>();
  for (const post of posts) {
    const acceptedAt = Date.parse(post.accepted_at);
    for (const publication of post.publications) {
      if (!matches(publication)) continue;
      const mark = { at: markTime(publication, acceptedAt, now), state: shownState(publication), publication, post };
      const lane = lanes.get(publication.target_id);
      if (lane) lane.push(mark);
      else lanes.set(publication.target_id, [mark]);
    }
  }
  for (const [channel, marks] of lanes) lanes.set(channel, spaceBacklog(marks));
  return lanes;
};

const spaceBacklog = (marks: readonly Mark[]): Mark[] => {
  const held = marks
    .filter(({ publication }) => isHeldByPause(publication))
    .sort((a, b) => (a.publication.sequence ?? 0) - (b.publication.sequence ?? 0));
  const places = new Map(held.map(({ publication }, place) => [publication.id, place]));
  return marks
    .map((mark) => ({ ...mark, at: mark.at + (places.get(mark.publication.id) ?? 0) * MINUTE }))
    .sort((a, b) => a.at - b.at);
};

/** Merges marks that are less than `distance` ms after the first mark of their group. @param marks earliest first */
export const mergeMarks = (marks: readonly Mark[], distance: number): readonly MarkGroup[] => {
  const groups: Mark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    if (group?.[0] && mark.at - group[0].at < distance) group.push(mark);
    else groups.push([mark]);
  }
  return groups.map(toGroup);
};

const QUIET: ReadonlySet<ShownState> = new Set([
  'publishing',
  'filtered',
  'dismissed',
  'cancelled',
  'confirmed',
  'published',
  'withdrawing',
  'withdrawn',
]);

const toGroup = (marks: readonly Mark[]): MarkGroup => {
  const sorted = marks.toSorted((a, b) => SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state) || b.at - a.at);
  const state = sorted[0]?.state ?? 'published';
  const count = QUIET.has(state) ? marks.length : marks.filter((mark) => mark.state === state).length;
  return { at: marks[0]?.at ?? 0, state, count, marks: sorted };
};

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
  /** Who started the pause; null if unknown. */
  readonly actor: Author | null;
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
  actor: { actor },
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

type LaneChannel = Api<'Channel'>;
type Project = Api<'Project'>;

/** Maximum number of channels to show ungrouped, each with its own column in the post list. */
export const FEW_CHANNELS = 8;

/** A row in the lanes: a channel, or a heading with the name of a project. */
export type LaneRow =
  | { readonly kind: 'group'; readonly id: string; readonly name: string | null }
  | { readonly kind: 'lane'; readonly id: string; readonly channel: LaneChannel };

/** The filters that select channels. */
export interface ChannelFilter {
  readonly channel?: string | undefined;
  readonly project?: string | undefined;
  readonly platform?: string | undefined;
}

/** Returns the channels that match the filters, by network and then in the order they were connected. */
export const selectChannels = (
  channels: readonly LaneChannel[],
  projects: readonly Project[],
  { channel, project, platform }: ChannelFilter,
): readonly LaneChannel[] => {
  const ofProject = projects.find(({ id }) => id === project)?.channel_ids;
  const order = (each: LaneChannel): number => NETWORKS.findIndex((network) => network === each.platform);
  return channels
    .filter(
      (each) =>
        (channel === undefined || each.id === channel) &&
        (platform === undefined || each.platform === platform) &&
        (ofProject === undefined || ofProject.includes(each.id)),
    )
    .toSorted((a, b) => order(a) - order(b) || (a.created_at < b.created_at ? -1 : 1));
};

/**
 * Returns the rows of the lanes. If there are only a few channels, each is a row. Otherwise channels are grouped under
 * their first project, and channels without a project come last.
 * @param search selects channels by their name or their group's name; ignored if there are few channels
 */
export const groupLanes = (
  channels: readonly LaneChannel[],
  projects: readonly Project[],
  search: string,
): readonly LaneRow[] => {
  const wanted = search.trim().toLowerCase();
  const toLane = (channel: LaneChannel): LaneRow => ({ kind: 'lane', id: channel.id, channel });
  if (channels.length <= FEW_CHANNELS) return channels.map(toLane);
  const left = new Map(channels.map((channel) => [channel.id, channel]));
  const rows: LaneRow[] = [];
  const addGroup = (id: string, name: string | null, members: readonly LaneChannel[]): void => {
    const isGroupFound = wanted === '' || (name?.toLowerCase().includes(wanted) ?? false);
    const found = members.filter((channel) => isGroupFound || channel.name.toLowerCase().includes(wanted));
    if (found.length > 0) rows.push({ kind: 'group', id, name }, ...found.map(toLane));
  };
  for (const { id, name, channel_ids: ids } of projects) {
    const members = ids.flatMap((each) => left.get(each) ?? []);
    for (const channel of members) left.delete(channel.id);
    addGroup(id, name, members);
  }
  addGroup('none', null, [...left.values()]);
  return rows;
};
