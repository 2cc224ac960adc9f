import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import type { ResourceId } from '../publish-schedule/queued-publications.queries.js';
import { PLANNED_POSTS } from './planned-posts.tables.js';

/** A planned post and its location in the event store. */
export interface PlannedPlace {
  readonly postId: string;
  readonly stream: string;
  /** Revision of the event that accepted it. */
  readonly revision: string;
}

interface DuePosts {
  /** In release order (D-60). */
  readonly due: readonly PlannedPlace[];
  /** Time at which the next post is due; null if there is none. */
  readonly nextAt: Instant | null;
}

/** A planned post, and the ids of its publications. */
export type PlannedPublications = PlannedPlace & { readonly publicationIds: readonly string[] };

const PLACE = 'p.post_id as "postId", p.stream, p.revision';

/** Reads planned posts. */
@Injectable()
export class PlannedPostQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds due posts, ordered by `publish_at`, then by acceptance. */
  async findDue(now: Instant, limit: number): Promise<DuePosts> {
    const { rows } = await this.pool.query<{ due: PlannedPlace[]; next: string | null }>({
      name: 'due planned posts',
      text: `
        select
          (select coalesce(json_agg(d), '[]') from (
            select ${PLACE} from ${PLANNED_POSTS}.planned_post p
            where p.due_at <= $1 order by p.due_at, p.accepted_position limit $2) d) as due,
          (select p.due_at from ${PLANNED_POSTS}.planned_post p
           where p.due_at > $1 order by p.due_at limit 1) as next`,
      values: [now, limit],
    });
    const { due, next } = rows[0]!;
    return { due, nextAt: next === null ? null : Number(next) };
  }

  /** Finds planned publications of a resource, oldest post first. @param limit maximum number of posts */
  async findPlanned(of: ResourceId, limit: number): Promise<readonly PlannedPublications[]> {
    const [condition, id] = conditionOf(of);
    const { rows } = await this.pool.query<PlannedPublications>(
      `select ${PLACE}, json_agg(x.publication_id) as "publicationIds"
       from ${PLANNED_POSTS}.planned_post p join ${PLANNED_POSTS}.planned_publication x on x.post_id = p.post_id
       where ${condition} group by p.post_id, p.stream, p.revision order by p.post_id limit $2`,
      [id, limit],
    );
    return rows;
  }
}

const conditionOf = (of: ResourceId): readonly [condition: string, id: string] => {
  if ('channelId' in of) return ['x.channel_id = $1', of.channelId];
  if ('projectId' in of) return ['x.project_id = $1', of.projectId];
  if ('endpointId' in of) return ['p.endpoint_id = $1', of.endpointId];
  return ['p.owner_id = $1', of.ownerId];
};
