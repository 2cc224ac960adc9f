import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { type PostApproval, type PostRow, POSTS } from './posts.tables.js';

/** The reason why a planned post is waiting (D-65). */
export interface PlanHold {
  readonly rule: 'scheduled' | 'approval';
  /** Null if the post is waiting for a person. */
  readonly until: Instant | null;
  /** Id of the event that caused the hold. */
  readonly eventId: string;
  /** Null if no time was given. */
  readonly publishAt: Instant | null;
}

/** Returns the approval of a post; null if none was required. */
export const approvalOf = ({ approval }: Pick<PostRow, 'approval'>): PostApproval | null =>
  approval === null ? null : (JSON.parse(approval) as PostApproval);

/** Returns what a planned post is waiting for; approval takes precedence. */
export const planHoldOf = (post: Pick<PostRow, 'publish_at' | 'approval' | 'plan_event'>): PlanHold => {
  const { publish_at: publishAt, plan_event: eventId } = post;
  if (approvalOf(post)?.state === 'pending') return { rule: 'approval', until: null, eventId, publishAt };
  return { rule: 'scheduled', until: publishAt, eventId, publishAt };
};

/** Reads what planned posts are waiting for. */
@Injectable()
export class PostPlans {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the holds by post id, without unknown posts. */
  async find(postIds: readonly string[]): Promise<Map<string, PlanHold>> {
    if (postIds.length === 0) return new Map();
    const { rows } = await this.pool.query<{ post: PostRow }>({
      name: 'plans of posts',
      text: `select jsonb_build_object('post_id', post_id, 'publish_at', publish_at, 'approval', approval,
               'plan_event', plan_event) as post
             from ${POSTS}.post where post_id = any($1)`,
      values: [[...new Set(postIds)]],
    });
    return new Map(rows.map(({ post }) => [post.post_id, planHoldOf(post)]));
  }
}
