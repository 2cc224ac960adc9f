import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { POSTS } from '../posts/posts.tables.js';
import { SCHEDULE } from './publish-schedule.tables.js';

/** A publication that is waiting for its first or next attempt. */
interface QueuedPublication {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}

/** The resource to find publications for. */
export type ResourceId =
  | { readonly channelId: string }
  | { readonly projectId: string }
  | { readonly endpointId: string }
  | { readonly ownerId: string };

/** Finds the queued publications of a resource, including publications that a pause delays. */
@Injectable()
export class QueuedPublications {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns up to `limit` publications, oldest first. Reads the whole schedule, so use it sparingly. */
  async findQueued(of: ResourceId, limit: number): Promise<readonly QueuedPublication[]> {
    const [source, condition, id] = sourceOf(of);
    const { rows } = await this.pool.query<QueuedPublication>(
      `select x.publication_id as "publicationId", x.post_id as "postId", x.channel_id as "channelId"
       from ${SCHEDULE}.publication x ${source}
       where x.state = 'queued' and ${condition} order by x.accepted_at, x.publication_id limit $2`,
      [id, limit],
    );
    return rows;
  }
}

const sourceOf = (of: ResourceId): readonly [source: string, condition: string, id: string] => {
  if ('channelId' in of) return ['', 'x.channel_id = $1', of.channelId];
  if ('projectId' in of) return ['', 'x.project_id = $1', of.projectId];
  if ('ownerId' in of) return ['', 'x.owner_id = $1', of.ownerId];
  return [`join ${POSTS}.post p on p.post_id = x.post_id`, 'p.endpoint_id = $1', of.endpointId];
};
