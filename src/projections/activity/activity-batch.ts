import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { ChannelPauseEvent } from '../../domain/channel-pause/channel-pause.events.js';
import type { EndpointEvent } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { ProjectEvent } from '../../domain/project/project.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import { ownerOfActor, type RecordedEvent, type RecordedEventOf } from '../../kernel/events.js';
import type { RowOfTable, Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import type { PlannedTargets } from '../planned-targets.js';
import { listResourceIds } from '../resource-ids.js';
import {
  type AlertRow,
  ALL_OWNERS,
  feedEndRows,
  type FeedRow,
  feedRows,
  type OpenPublicationRow,
  type ResourceRow,
} from './activity.tables.js';
import type { EventCounters } from './counters.js';
import type { Standings } from './standings.js';

/** An event that changes rows of the read model; events of all other types are only counted. */
export type HandledEvent = RecordedEventOf<
  | OwnerEvent
  | ChannelEvent
  | ChannelPauseEvent
  | ProjectEvent
  | EndpointEvent
  | WebhookOutputEvent
  | PostEvent
  | PublicationEvent
>;

/** The rows and counts that a batch changes. */
export interface ActivityBatch {
  readonly tx: Tx;
  readonly resources: Rows<ResourceRow>;
  readonly publications: Rows<OpenPublicationRow>;
  readonly planned: PlannedTargets;
  readonly alerts: Rows<AlertRow>;
  readonly standings: Standings;
  readonly counters: EventCounters;
  readonly feed: Feed;
}

/** Number of entries in each feed. Readers see fewer, because they see only the latest entry of each publication. */
export const FEED_SIZE = 60;

type FeedEntry = Omit<FeedRow, 'feed_key' | 'owner_id' | 'number'>;

/** Returns the key of the entry with this number. */
export const feedKey = (ownerId: string, number: number): string => `${ownerId}/${number % FEED_SIZE}`;

/** Collects the entries of a batch for each owner's feed and for the feed of all owners. */
export class Feed {
  private readonly entries = new Map<string, FeedEntry[]>();

  add(ownerId: string, entry: FeedEntry): void {
    for (const owner of [ownerId, ALL_OWNERS]) {
      const known = this.entries.get(owner);
      if (known) known.push(entry);
      else this.entries.set(owner, [entry]);
    }
  }

  /** Writes the latest entries. */
  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.entries.size === 0) return;
    const ends = await Rows.load<RowOfTable<typeof feedEndRows>>(tx, feedEndRows, this.entries.keys(), cache);
    const written: FeedRow[] = [];
    for (const [ownerId, entries] of this.entries) {
      const first = ends.get(ownerId)?.entries ?? 0;
      ends.put({ owner_id: ownerId, entries: first + entries.length });
      for (const [i, entry] of entries.entries()) {
        if (i < entries.length - FEED_SIZE) continue;
        const number = first + i;
        written.push({ feed_key: feedKey(ownerId, number), owner_id: ownerId, number, ...entry });
      }
    }
    // Loaded to update existing rows instead of inserting them; their content does not matter.
    const keys = written.map(({ feed_key }) => feed_key);
    const rows = await Rows.load(tx, feedRows, keys, cache);
    for (const row of written) rows.put(row);
    await ends.flush();
    await rows.flush();
  }
}

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
