import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { findPostPlace, findPostPlaceOfPublication } from './post-place.queries.js';

/** Reads the correlation ids of posts from the events that accepted them, because the read model does not have them. */
@Injectable()
export class PostStories {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Returns a post's correlation id; null if the read model does not show the post (yet).
   * @throws Unavailable @throws UndecodableEvent
   */
  async findOfPost(postId: string): Promise<string | null> {
    return this.read(await findPostPlace(this.pool, postId));
  }

  /** Returns the correlation id of a publication's post, like {@link findOfPost}. */
  async findOfPublication(publicationId: string): Promise<string | null> {
    return this.read(await findPostPlaceOfPublication(this.pool, publicationId));
  }

  /**
   * Returns a decision's context with the correlation id of its post, so that the decision becomes part of the post's
   * story (ADR-140).
   */
  async joinStory<C extends { readonly correlationId: string }>(context: C, postId: string): Promise<C> {
    const correlationId = await this.findOfPost(postId);
    return correlationId === null ? context : { ...context, correlationId };
  }

  private async read(place: { readonly stream: string; readonly revision: string } | null): Promise<string | null> {
    if (!place) return null;
    const [accepted] = await this.store.readStream(place.stream, { from: BigInt(place.revision), limit: 1 });
    return accepted ? this.codec.readEnvelope(accepted).correlation_id : null;
  }
}
