import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { PartOfList } from '../../kernel/part-of-list.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { calendarStatement } from './list-calendar.sql.js';
import { listStatement, type PostRange, PUBLICATIONS, STATUS_BYTES } from './list-posts.sql.js';
import { type PostRow, POSTS, type PublicationRow, type PublicationViewState } from './posts.tables.js';

/** A post with its publications, in the order defined by D-57. */
export interface EndpointPost {
  readonly post: Omit<PostRow, 'metadata'>;
  readonly publications: readonly PublicationRow[];
}

/** Finds a post that an endpoint accepted (D-48); null if there is none. */
@Injectable()
export class FindEndpointPost {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  execute(endpointId: string, postId: string): Promise<EndpointPost | null> {
    return this.progress.findUpToDate('posts', this.store, async () => {
      const { rows } = await this.pool.query<EndpointPost>({
        name: 'find post of an endpoint',
        text: `select to_jsonb(p) as post, ${PUBLICATIONS} as publications from ${POSTS}.post p
               where p.post_id = $1 and p.endpoint_id = $2`,
        values: [postId, endpointId],
      });
      return rows[0] ?? null;
    });
  }
}

/**
 * Lists the posts that an endpoint accepted, as many as fit in one response: planned posts by `publish_at`, all others
 * newest first.
 */
@Injectable()
export class ListEndpointPosts {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @param state publication state; undefined for any */
  async execute(
    endpointId: string,
    state: PublicationViewState | undefined,
    range: PostRange,
  ): Promise<PartOfList<EndpointPost>> {
    // Both views must agree on which publications are unfinished, and a post accepted a moment ago must be listed.
    await this.progress.waitUntilCaughtUp(['posts', 'publish-schedule'], this.store);
    const filter = { ownerId: null, endpointId, state };
    const statement = state === 'planned' ? calendarStatement : listStatement;
    const { rows } = await this.pool.query<EndpointPost & { readonly is_cut: boolean }>(
      statement(filter, { ...range, bytes: STATUS_BYTES }),
    );
    return { rows, isCut: rows[0]?.is_cut ?? false };
  }
}
