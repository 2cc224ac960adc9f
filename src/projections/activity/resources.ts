import { ownerOfActor, type RecordedEvent } from '../../kernel/events.js';
import type { Rows } from '../engine/rows.js';
import { listResourceIds } from '../resource-ids.js';
import type { ResourceRow } from './activity.tables.js';
import type { ActivityBatch, HandledEvent } from './activity-batch.js';

/**
 * Returns the owner to whom an event belongs. Null if neither its resources nor its actor belong to a known owner, as
 * for an operator's command to a saga.
 */
export const ownerOf = (event: RecordedEvent, resources: Rows<ResourceRow>): string | null => {
  const rows = listResourceIds(event).map((id) => resources.get(id));
  return rows.find((row) => row !== undefined)?.owner_id ?? ownerOfActor(event.actor);
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
