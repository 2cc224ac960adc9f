import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { findPostPlace } from '../../projections/posts/post-details.queries.js';
import type { HistoryAggregate } from '../aggregates/history-aggregate.js';
import { type AggregatePlace, wholeStream } from './history-reader.js';

/** Members of an aggregate's first event that identify its owner, or a resource of the owner. */
interface Origin {
  readonly ownerId?: string;
  readonly channelId?: string;
  readonly projectId?: string;
}

/** Finds the streams of aggregates. Their owners are read from the streams themselves, not from a read model. */
@Injectable()
export class AggregatePlaces {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly progress: ProjectionProgress,
  ) {}

  /** Finds an aggregate; null if there is none. @param ownerId required owner; null for any @throws Unavailable */
  async find(aggregate: HistoryAggregate, id: string, ownerId: string | null): Promise<AggregatePlace | null> {
    const place = await this.locate(aggregate, id);
    if (!place || ownerId === null) return place;
    return (await this.findOwner(place.stream, place.first)) === ownerId ? place : null;
  }

  private async locate({ name, category }: HistoryAggregate, id: string): Promise<AggregatePlace | null> {
    if (name !== 'post') return wholeStream(`${category}-${id}`);
    // The stream of a post is named after its idempotency key.
    const found = (await findPostPlace(this.pool, id)) ?? (await this.findNewPost(id));
    if (!found) return null;
    const revision = BigInt(found.revision);
    // The changes to a planned post follow its acceptance, between events of other posts with the same key.
    return { stream: found.stream, first: revision, last: found.was_planned ? null : revision, only: id };
  }

  /** Finds a new post that the read model may not have reached yet. */
  private async findNewPost(id: string) {
    await this.progress.waitUntilCaughtUp(['posts'], this.store);
    return findPostPlace(this.pool, id);
  }

  private async findOwner(stream: string, revision: bigint): Promise<string | null> {
    const [first] = await this.store.readStream(stream, { from: revision, limit: 1 });
    if (!first) return null;
    const { ownerId, channelId, projectId } = this.codec.decode(first).data as Origin;
    if (ownerId !== undefined) return ownerId;
    if (channelId !== undefined) return this.findOwner(`channel-${channelId}`, 0n);
    return projectId === undefined ? null : this.findOwner(`project-${projectId}`, 0n);
  }
}
