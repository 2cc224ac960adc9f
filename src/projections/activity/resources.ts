import { ownerOfActor, type RecordedEvent } from '../../kernel/events.js';
import type { Rows } from '../engine/rows.js';
import type { ResourceRow } from './activity.tables.js';
import type { ActivityBatch, HandledEvent } from './activity-batch.js';

/** Event members that contain a resource's id, in the order in which they are used to find the owner. */
const NAMING = ['ownerId', 'channelId', 'projectId', 'endpointId', 'outputId'] as const;

const ENDPOINT_ACTOR = 'endpoint:';

/** Returns the endpoint that acted; undefined if the actor is not an endpoint. */
const endpointOfActor = ({ actor }: RecordedEvent): string | undefined =>
  actor.startsWith(ENDPOINT_ACTOR) ? actor.slice(ENDPOINT_ACTOR.length) : undefined;

/** Lists the ids of the resources in an event and of the endpoint that acted. */
export const listResourceIds = (event: RecordedEvent): string[] => {
  const data = event.data as Readonly<Record<string, unknown>>;
  return [...NAMING.map((member) => data[member]), endpointOfActor(event)].filter((id) => typeof id === 'string');
};

/**
 * Returns the owner to whom an event belongs. Null if the event refers to no known resource and its actor is neither an
 * endpoint nor an owner, as for a stored translation or an operator's command to a saga.
 */
export const ownerOf = (event: RecordedEvent, resources: Rows<ResourceRow>): string | null => {
  for (const id of listResourceIds(event)) {
    const row = resources.get(id);
    if (row) return row.owner_id;
  }
  return ownerOfActor(event.actor);
};

/** Records new resources with their owners, and marks deleted channels. */
export const handleResource = (event: HandledEvent, { resources }: ActivityBatch): void => {
  const put = (resource_id: string, owner_id: string, platform: string | null = null): void =>
    void resources.put({ resource_id, owner_id, platform, is_deleted: false });
  switch (event.type) {
    case 'OwnerRegistered':
      return put(event.data.ownerId, event.data.ownerId);
    case 'ChannelConnected':
      return put(event.data.channelId, event.data.ownerId, event.data.platform);
    case 'ProjectCreated':
      return put(event.data.projectId, event.data.ownerId);
    case 'EndpointCreated':
      return put(event.data.endpointId, event.data.ownerId);
    case 'WebhookOutputCreated':
      return put(event.data.outputId, event.data.ownerId);
    case 'ChannelDeleted':
      return void resources.patch(event.data.channelId, { is_deleted: true });
    default:
      return;
  }
};
