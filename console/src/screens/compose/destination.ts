import type { Api } from '../../api/management.js';

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
