import { Inject, Injectable } from '@nestjs/common';
import { type ProjectionEventSkipped, projectionStream } from '../domain/projection/projection.events.js';
import { EventCodec, UndecodableEvent } from '../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import { AuditIndex } from '../projections/audit/audit.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { EventLoader } from './audit-trail/audit-trail.js';

/** The decision to skip the event that accepted a post. */
export interface SkippedPost {
  /** The event that accepted the post. */
  readonly eventId: string;
  readonly reason: string;
}

/** Finds posts that the projection `posts` does not show because their acceptance was skipped (ADR-285). */
@Injectable()
export class SkippedPosts {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly index: AuditIndex,
    private readonly events: EventLoader,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * Finds why a post is not shown; null if its acceptance was not skipped, or cannot be read.
   * @param ownerId owner that the post must belong to; null for any
   * @throws Unavailable
   */
  async find(postId: string, ownerId: string | null): Promise<SkippedPost | null> {
    const skipped = (await this.store.readStream(projectionStream('posts')))
      .filter(({ type }) => type === 'ProjectionEventSkipped')
      .map((stored) => this.codec.decode(stored).data as ProjectionEventSkipped['data'])
      .filter(({ eventType }) => eventType === 'PostAccepted');
    if (skipped.length > 0) await this.progress.waitUntilCaughtUp(['audit'], this.store);
    for (const { eventId, reason } of skipped)
      if (await this.accepts(eventId, postId, ownerId)) return { eventId, reason };
    return null;
  }

  private async accepts(eventId: string, postId: string, ownerId: string | null): Promise<boolean> {
    const entries = await this.index.findEvents(eventId, ownerId);
    for (const entry of entries) {
      const [event] = await this.events.load([entry]).catch((error: unknown) => {
        if (error instanceof UndecodableEvent) return [];
        throw error;
      });
      if (event?.id === eventId && (event.data as { readonly postId?: string }).postId === postId) return true;
    }
    return false;
  }
}
