import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { PUBLICATIONS } from './list-posts.sql.js';
import { POSTS, type PostRow, type PublicationRow } from './posts.tables.js';

/** A post with its publications in the order of D-57. */
export interface EndpointPost {
  readonly post: PostRow;
  readonly publications: readonly PublicationRow[];
}

/** Finds a post that an endpoint accepted (D-48); null if the endpoint accepted no such post. */
export class FindEndpointPost extends Query<EndpointPost | null> {
  constructor(
    readonly endpointId: string,
    readonly postId: string,
  ) {
    super();
  }
}

const CATCH_UP_TIMEOUT_MS = 2_000;

@QueryHandler(FindEndpointPost)
export class FindEndpointPostHandler implements IQueryHandler<FindEndpointPost> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(query: FindEndpointPost): Promise<EndpointPost | null> {
    const found = await this.find(query);
    if (found) return found;
    // The view may not have reached a post that was accepted just before.
    await this.progress.waitFor(['posts'], await this.store.readHead(), CATCH_UP_TIMEOUT_MS);
    return this.find(query);
  }

  private async find({ endpointId, postId }: FindEndpointPost): Promise<EndpointPost | null> {
    const { rows } = await this.pool.query<EndpointPost>({
      name: 'find post of an endpoint',
      text: `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
             where p.post_id = $1 and p.endpoint_id = $2`,
      values: [postId, endpointId],
    });
    return rows[0] ?? null;
  }
}
