import type { Api } from '../../api/management.js';
import type { Format } from '../../i18n/format.js';
import { timeOfDay } from '../../planning/use-when.js';
import type { ComposeMessages } from './messages.js';
import type { Published } from './publish.js';
import type { useComposer } from './use-composer.js';

/** The facts about a draft that determine the heading. */
export interface DraftState {
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
  readonly endpoint: {
    readonly name: string;
    readonly isLive: boolean;
    readonly isActive: boolean;
    readonly needsApproval: boolean;
  };
}

/**
 * Returns the heading and the sentence below it: whether the post can be published or, if not, the first thing that
 * prevents it.
 */
export const headline = (
  { isEmpty, channels, problems, adjustments, hasFailed, hasBadTime, isEdit, endpoint }: DraftState,
  m: ComposeMessages,
): { readonly title: string; readonly text: string } => {
  const said = (
    title: string,
    text = isEdit ? m.editSummary : endpoint.needsApproval ? m.approvalSummary : m.summary,
  ) => ({ title, text });
  if (!endpoint.isActive) return said(m.disabledEndpoint(endpoint.name), m.disabledEndpointText);
  if (!endpoint.isLive) return said(m.testEndpoint, m.testEndpointText);
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
  { isEdit, isPending }: { readonly isEdit: boolean; readonly isPending: boolean },
  m: ComposeMessages,
  format: Format,
): string => {
  if (isEdit) return draft.when === null && !isPending ? m.saveAndPublish : m.saveChanges;
  if (destination.endpoint.requires_approval) return m.sendForApproval;
  if (at !== null) return m.scheduleFor(`${format.day(at)}, ${timeOfDay(format, at)}`);
  return receiving.length > 0 ? m.publishTo(receiving.length) : m.publish;
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

/** An endpoint with the projects and channels that receive its posts. */
export interface Destination {
  readonly endpoint: Api<'Endpoint'>;
  readonly projects: readonly Api<'Project'>[];
  /** Without duplicates, ordered by project and then by the order within each project. */
  readonly channels: readonly Api<'Channel'>[];
}

/** Joins endpoints with their projects and channels. */
export const listDestinations = (
  endpoints: readonly Api<'Endpoint'>[],
  projects: readonly Api<'Project'>[],
  channels: readonly Api<'Channel'>[],
): Destination[] => {
  const projectById = new Map(projects.map((project) => [project.id, project]));
  const channelById = new Map(channels.map((channel) => [channel.id, channel]));
  return endpoints.map((endpoint) => {
    const own = endpoint.project_ids.flatMap((id) => projectById.get(id) ?? []);
    const ids = new Set(own.flatMap(({ channel_ids: channelIds }) => channelIds));
    return { endpoint, projects: own, channels: [...ids].flatMap((id) => channelById.get(id) ?? []) };
  });
};

/**
 * Returns the given endpoint's destination. Without one, returns the best default: live and enabled if possible, with
 * the most channels.
 */
export const chooseDestination = (
  destinations: readonly Destination[],
  endpointId: string | null,
): Destination | undefined => {
  const wanted = destinations.find(({ endpoint }) => endpoint.id === endpointId);
  const rank = ({ endpoint, channels }: Destination): number =>
    (endpoint.mode === 'live' && endpoint.is_active ? 1_000_000 : 0) + channels.length;
  return wanted ?? [...destinations].sort((a, b) => rank(b) - rank(a))[0];
};

/** True if posts to the endpoint are published, i.e. it is live and enabled. */
export const canPublish = ({ endpoint }: Destination): boolean => endpoint.mode === 'live' && endpoint.is_active;
