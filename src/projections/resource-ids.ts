import type { RecordedEvent } from '../kernel/events.js';

/** Event fields that contain a resource id. */
const MEMBERS = ['ownerId', 'channelId', 'projectId', 'endpointId', 'outputId', 'keyId'] as const;
const ENDPOINT_ACTOR = 'endpoint:';

/**
 * Lists the ids of an event's resources, then the id of the endpoint that acted. The event belongs to the owner of the
 * first known resource.
 */
export const listResourceIds = ({ data, actor }: RecordedEvent): string[] => {
  const members = data as Readonly<Record<string, unknown>>;
  const endpointId = actor.startsWith(ENDPOINT_ACTOR) ? actor.slice(ENDPOINT_ACTOR.length) : undefined;
  return [...MEMBERS.map((member) => members[member]), endpointId].filter((id) => typeof id === 'string');
};
