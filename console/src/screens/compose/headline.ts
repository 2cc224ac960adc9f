import type { Api } from '../../api/management.js';
import type { Format } from '../../i18n/format.js';
import { timeOfDay } from '../../planning/use-when.js';
import type { ComposeMessages } from './messages.js';
import type { Published } from './publish.js';
import type { useComposer } from './use-composer.js';

/** The facts about a draft that determine the heading. */
export interface DraftState {
  /** True while there are more channels to load. */
  readonly isLoading: boolean;
  readonly isEmpty: boolean;
  /** Number of channels that the post goes to. */
  readonly channels: number;
  readonly problems: number;
  /** Null until the post has been checked. */
  readonly adjustments: number | null;
  readonly hasFailed: boolean;
  /** True if the chosen publishing time cannot be used. */
  readonly hasBadTime: boolean;
  /** True if a planned post is being changed. */
  readonly isEdit: boolean;
  /** Why nothing can be published yet; null if nothing is missing. */
  readonly missing: { readonly title: string; readonly text: string } | null;
  readonly endpoint: {
    readonly name: string;
    readonly isLive: boolean;
    readonly isActive: boolean;
    readonly needsApproval: boolean;
    /** True if this person may approve posts. */
    readonly mayApprove: boolean;
  };
}

/**
 * Returns the heading and the sentence below it: whether the post can be published or, if not, the first thing that
 * prevents it.
 */
export const headline = (
  { isLoading, isEmpty, channels, problems, adjustments, hasFailed, hasBadTime, isEdit, missing, endpoint }: DraftState,
  m: ComposeMessages,
): { readonly title: string; readonly text: string } => {
  const said = (
    title: string,
    text = isEdit
      ? m.editSummary
      : !endpoint.needsApproval
        ? m.summary
        : endpoint.mayApprove
          ? m.approvalSummary
          : m.othersApprove,
  ) => ({ title, text });
  if (missing) return missing;
  if (!endpoint.isActive) return said(m.disabledEndpoint(endpoint.name), m.disabledEndpointText);
  if (!endpoint.isLive) return said(m.testEndpoint, m.testEndpointText);
  if (isLoading) return said(isEmpty ? m.write : m.loadingChannels);
  if (channels === 0) return said(m.noChannelChosen);
  if (isEmpty) return said(m.write);
  if (hasBadTime) return said(m.chooseTime);
  if (problems > 0) return said(m.notReady(problems));
  if (hasFailed) return said(m.notChecked, m.notCheckedText);
  if (adjustments === null) return said(m.checking);
  return said(`${m.ready(channels)} ${adjustments > 0 ? m.adjustments(adjustments) : m.asWritten}`);
};

/** Returns the label of the button that publishes, schedules or saves the post. */
export const goLabel = (
  {
    draft,
    at,
    receiving,
    destination,
  }: Pick<ReturnType<typeof useComposer>, 'draft' | 'at' | 'receiving' | 'destination'>,
  {
    isEdit,
    isPending,
    isLoading,
  }: { readonly isEdit: boolean; readonly isPending: boolean; readonly isLoading: boolean },
  m: ComposeMessages,
  format: Format,
): string => {
  if (isEdit) return draft.when === null && !isPending ? m.saveAndPublish : m.saveChanges;
  if (destination.endpoint.requires_approval) return m.sendForApproval;
  if (at !== null) return m.scheduleFor(`${format.day(at)}, ${timeOfDay(format, at)}`);
  return receiving.length > 0 && !isLoading ? m.publishTo(receiving.length) : m.publish;
};

/** Describes the result of sending a post. */
export const describeResult = (
  { state, publish_at: at, queued_targets: count }: Published,
  requiresApproval: boolean,
  m: ComposeMessages,
  when: (at: string) => string,
): string => {
  if (state !== 'planned') return m.queued(count);
  if (at === null || at === undefined) return m.awaitsApproval;
  return requiresApproval ? m.awaitsApprovalFor(when(at)) : m.plannedFor(when(at));
};

/** The fields of an endpoint that Compose depends on. */
export type ComposeEndpoint = Pick<
  Api<'Endpoint'>,
  | 'id'
  | 'name'
  | 'slug'
  | 'url'
  | 'mode'
  | 'is_active'
  | 'is_console'
  | 'requires_approval'
  | 'require_signature'
  | 'require_timestamp'
>;

/** Where a post may go: a channel set, through the console's own endpoint, or the endpoint of a program. */
export interface Destination {
  readonly endpoint: ComposeEndpoint;
  readonly projects: readonly Api<'Project'>[];
  /** Without duplicates, ordered by project and then by the order within each project. */
  readonly channels: readonly Api<'Channel'>[];
  /** The channel set, for posts through the console's own endpoint. */
  readonly setId: string | null;
  /** True if the endpoint posts to further channels, so that a post has to list its own. */
  readonly isPart: boolean;
}

interface Things {
  readonly endpoints: readonly Api<'Endpoint'>[];
  readonly projects: readonly Api<'Project'>[];
  readonly channels: readonly Api<'Channel'>[];
}

/** Stands for the console's own endpoint until it exists. */
const FUTURE_ENDPOINT: ComposeEndpoint = {
  id: '',
  name: null,
  slug: '',
  url: '',
  mode: 'live',
  is_active: true,
  is_console: true,
  requires_approval: false,
  require_signature: false,
  require_timestamp: false,
};

/** Joins an endpoint with all its projects and channels. */
const joinEndpoint = (endpoint: Api<'Endpoint'>, { projects, channels }: Things): Destination => {
  const own = endpoint.project_ids.flatMap((id) => projects.find((project) => project.id === id) ?? []);
  return { endpoint, projects: own, channels: listChannels(own, channels), setId: null, isPart: false };
};

const listChannels = (projects: Things['projects'], channels: Things['channels']): readonly Api<'Channel'>[] => {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const ids = new Set(projects.flatMap(({ channel_ids: channelIds }) => channelIds));
  return [...ids].flatMap((id) => byId.get(id) ?? []);
};

/**
 * Lists where a new post may go: the channel sets first, then the endpoints of programs.
 * @param hasFuture true if the console's own endpoint will exist soon, or once there is a channel
 */
export const listDestinations = (things: Things, hasFuture: boolean): Destination[] => {
  const { endpoints, projects, channels } = things;
  const setsOf = (endpoint: ComposeEndpoint, sets: Things['projects']): Destination[] =>
    sets.map((set) => ({
      endpoint,
      projects: [set],
      channels: listChannels([set], channels),
      setId: set.id,
      isPart: sets.length > 1,
    }));
  const own = endpoints.filter(({ is_console: isConsole }) => isConsole);
  const future = own.length > 0 || !hasFuture ? [] : setsOf(FUTURE_ENDPOINT, projects);
  return [
    ...own.flatMap((endpoint) => setsOf(endpoint, joinEndpoint(endpoint, things).projects)),
    ...(own.length === 0 && hasFuture && future.length === 0 ? [destinationWithoutSets(things)] : future),
    ...endpoints.filter(({ is_console: isConsole }) => !isConsole).map((endpoint) => joinEndpoint(endpoint, things)),
  ];
};

/** Returns where a new post may go while there are no channel sets, or none is known yet: all known channels. */
export const destinationWithoutSets = ({ endpoints, channels }: Things): Destination => ({
  endpoint: endpoints.find(({ is_console: isConsole }) => isConsole) ?? FUTURE_ENDPOINT,
  projects: [],
  channels,
  setId: null,
  isPart: false,
});

/** Returns where a planned post goes: its endpoint, or the channel set with all its channels. */
export const findDestination = (
  post: Pick<Api<'PostWithPayload'>, 'endpoint_id' | 'payload'>,
  things: Things,
): Destination | undefined => {
  const endpoint = things.endpoints.find(({ id }) => id === post.endpoint_id);
  if (!endpoint) return undefined;
  const targets = (post.payload?.targets ?? []).map(({ id }) => id);
  const isWithin = ({ channels }: Destination): boolean =>
    targets.length > 0 && targets.every((target) => channels.some(({ id }) => id === target));
  const sets = endpoint.is_console ? listDestinations({ ...things, endpoints: [endpoint] }, false) : [];
  return sets.find(isWithin) ?? joinEndpoint(endpoint, things);
};

/**
 * Returns the chosen set's or endpoint's destination. Without a choice, returns the best default: live and enabled if
 * possible, the console's own before those of programs, with the most channels.
 */
export const chooseDestination = (
  destinations: readonly Destination[],
  { endpointId, setId }: { readonly endpointId: string | null; readonly setId: string | null },
): Destination | undefined => {
  const wanted =
    destinations.find((each) => setId !== null && each.setId === setId) ??
    destinations.find(({ endpoint }) => setId === null && endpoint.id === endpointId && !endpoint.is_console);
  // By the ids of the sets: the choice must not change while channels are loading.
  const sizeOf = ({ projects, channels }: Destination): number =>
    projects.length === 0 ? channels.length : new Set(projects.flatMap(({ channel_ids: ids }) => ids)).size;
  const rank = (each: Destination): number =>
    (canPublish(each) ? 1_000_000 : 0) + (each.endpoint.is_console && sizeOf(each) > 0 ? 100_000 : 0) + sizeOf(each);
  return wanted ?? [...destinations].sort((a, b) => rank(b) - rank(a))[0];
};

/** True if posts to the endpoint are published, i.e. it is live and enabled. */
export const canPublish = ({ endpoint }: Destination): boolean => endpoint.mode === 'live' && endpoint.is_active;
