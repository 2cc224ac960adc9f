import { Injectable } from '@nestjs/common';
import { channel } from '../../domain/channel/channel.decider.js';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { project } from '../../domain/project/project.decider.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { isStoreOutage } from '../../event-store/store-outage.js';
import type { Decider } from '../../kernel/decider.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';

/** Aggregates with an owner, by the member of an event's data that holds their id. */
const OWNED = {
  channelId: channel,
  endpointId: endpoint,
  projectId: project,
  outputId: webhookOutput,
} as const;

const CACHE_SIZE = 50_000;

/** Finds the owners that events concern. */
@Injectable()
export class EventOwners {
  /** Owners by the id of an aggregate; an owner never changes. */
  private readonly known = new BoundedCache<string>(CACHE_SIZE);

  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * Returns the owner that an event concerns. If it names only a resource whose owner cannot be determined, returns the
   * id of the resource, and if it names nothing, its stream.
   * @throws Unavailable
   */
  async find({ data, stream }: RecordedEvent): Promise<string> {
    const ids = data as Readonly<Record<string, unknown>>;
    if (typeof ids.ownerId === 'string') return ids.ownerId;
    for (const [member, decider] of Object.entries(OWNED)) {
      const id = ids[member];
      if (typeof id === 'string') return this.findOwnerOf(decider as Owned, id);
    }
    return stream;
  }

  private async findOwnerOf(decider: Owned, id: string): Promise<string> {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    try {
      const { state } = await this.aggregates.loadAggregate(decider, id);
      if (!state) return id;
      this.known.set(id, state.ownerId);
      return state.ownerId;
    } catch (error) {
      if (isStoreOutage(error)) throw error;
      return id; // the aggregate is damaged
    }
  }
}

type Owned = Decider<never, { readonly ownerId: string } | null, never, string>;
