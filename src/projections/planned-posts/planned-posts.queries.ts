import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { padPosition } from '../../kernel/position-text.js';
import { POOL } from '../../postgres/tokens.js';
import type { ResourceId } from '../publish-schedule/publish-schedule.queries.js';
import { idsOfTargets, PLANNED_POSTS } from './planned-posts.tables.js';

/** A planned post and its location in the event store. */
export interface PlannedPlace {
  readonly postId: string;
  readonly stream: string;
  /** Revision of the event that accepted it. */
  readonly revision: string;
}

/** A due post. */
export interface DuePost extends PlannedPlace {
  readonly ownerId: string;
  /** How many publications its release queues. */
  readonly targets: number;
}

/** Limits for {@link PlannedPostQueries.findDue}. */
export interface DueBounds {
  /** Maximum number of owners. */
  readonly owners: number;
  /** Maximum number of posts, which the owners share equally; each owner gets at least one. */
  readonly posts: number;
  /** Finds the owners whose ids follow this one, then the others. */
  readonly after: string;
  /** Ids of posts to leave out. */
  readonly without: readonly string[];
}

/** A planned post, and the ids of its publications. */
export type PlannedPublications = PlannedPlace & { readonly publicationIds: readonly string[] };

/** Part of an endpoint's planned posts. */
interface AcceptedPage {
  /** Earliest time of their ids. */
  readonly from: Instant;
  /** Latest position of the events that accepted them. */
  readonly upTo: Position;
  /** The id that theirs follow; empty for the first part. */
  readonly after: string;
  readonly limit: number;
}

/** A held post. */
export type HeldPost = PlannedPlace & { readonly ownerId: string };

const PLACE = 'p.post_id as "postId", p.stream, p.revision';

/** Reads planned posts. */
@Injectable()
export class PlannedPostQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the time at which the next post is due, which may have passed; null if there is none. */
  async findNextDue(): Promise<Instant | null> {
    const { rows } = await this.pool.query<{ due_at: string | null }>({
      name: 'next due planned post',
      text: `select min(due_at) as due_at from ${PLANNED_POSTS}.planned_owner`,
    });
    const { due_at } = rows[0]!;
    return due_at === null ? null : Number(due_at);
  }

  /**
   * Finds due posts of several owners (D-79). Each owner's posts are in the order of their release (D-60). However many
   * posts an owner has, only those that are returned are read.
   */
  async findDue(now: Instant, { owners, posts, after, without }: DueBounds): Promise<DuePost[]> {
    const { rows } = await this.pool.query<DuePost>({
      name: 'due planned posts',
      text: `
        with due as materialized (
          select owner_id, due_at, accepted_position from ${PLANNED_POSTS}.planned_owner
          where due_at <= $1 order by owner_id <= $2, owner_id limit $3)
        select ${PLACE}, p.owner_id as "ownerId", p.targets from due o cross join lateral (
          select * from ${PLANNED_POSTS}.planned_post p
          where p.owner_id = o.owner_id and p.due_at <= $1
            and (p.due_at, p.accepted_position) >= (o.due_at, o.accepted_position) and p.post_id <> all($5)
          order by p.due_at, p.accepted_position
          limit (select greatest(1, $4::int / greatest(1, count(*))) from due)) p
        order by o.owner_id <= $2, o.owner_id, p.due_at, p.accepted_position`,
      values: [now, after, owners, posts, without],
    });
    return rows;
  }

  /**
   * Finds held posts (D-80), in the order of their ids.
   * @param ownerId null for all owners @param after id of the last post found before; empty for the first
   * @param dueBy only posts that would have been released by then; null for all
   */
  async findHeld(
    ownerId: string | null,
    after: string,
    limit: number,
    dueBy: Instant | null = null,
  ): Promise<readonly HeldPost[]> {
    const { rows } = await this.pool.query<HeldPost>({
      name: 'held posts',
      text: `select ${PLACE}, p.owner_id as "ownerId" from ${PLANNED_POSTS}.planned_post p
        where p.is_held and p.post_id > $2 and ($1::text is null or p.owner_id = $1)
          and ($4::bigint is null or (not p.is_pending and coalesce(p.publish_at, 0) <= $4))
        order by p.post_id limit $3`,
      values: [ownerId, after, limit, dueBy],
    });
    return rows;
  }

  /**
   * Finds planned publications of a resource, by post id.
   * @param page the posts after this id, and their maximum number
   */
  async findPlanned(
    of: ResourceId,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<readonly PlannedPublications[]> {
    const [condition, isTarget, id] = conditionsOf(of);
    const { rows } = await this.pool.query<PlannedPublications>(
      `select ${PLACE}, (select json_agg(t->'publicationId') from jsonb_array_elements(x.targets) t where ${isTarget})
         as "publicationIds"
       from ${PLANNED_POSTS}.planned_post p join ${PLANNED_POSTS}.planned_target x on x.post_id = p.post_id
       where ${condition} and p.post_id > $2 order by p.post_id limit $3`,
      [id, after, limit],
    );
    return rows;
  }

  /** Finds planned posts of an endpoint by the time in their ids, oldest first (D-87). */
  async findAccepted(endpointId: string, { from, upTo, after, limit }: AcceptedPage): Promise<readonly PlannedPlace[]> {
    const { rows } = await this.pool.query<PlannedPlace>(
      `select ${PLACE} from ${PLANNED_POSTS}.planned_post p
       where p.endpoint_id = $1 and p.post_id >= $2 and p.post_id > $3 and p.accepted_position <= $4
       order by p.post_id limit $5`,
      [endpointId, firstIdAt(from), after, padPosition(upTo), limit],
    );
    return rows;
  }

  /** Counts the planned posts of an endpoint. */
  async countOfEndpoint(endpointId: string): Promise<number> {
    const { rows } = await this.pool.query<{ posts: number }>(
      `select count(*)::int as posts from ${PLANNED_POSTS}.planned_post where endpoint_id = $1`,
      [endpointId],
    );
    return rows[0]!.posts;
  }
}

/** Returns the lowest post id of a millisecond (D-2). */
const firstIdAt = (at: Instant): string => `post_${at.toString(16).padStart(12, '0')}`;

/** SQL: selects the posts of a resource, and which of their targets are the resource's. The id is $1. */
const conditionsOf = (of: ResourceId): readonly [posts: string, targets: string, id: string] => {
  const isTarget = (field: 'channelId' | 'projectId') =>
    [`${idsOfTargets(field, 'x.targets')} @> to_jsonb($1::text)`, `t->>'${field}' = $1`] as const;
  if ('channelId' in of) return [...isTarget('channelId'), of.channelId];
  if ('projectId' in of) return [...isTarget('projectId'), of.projectId];
  if ('endpointId' in of) return ['p.endpoint_id = $1', 'true', of.endpointId];
  return ['p.owner_id = $1', 'true', of.ownerId];
};
