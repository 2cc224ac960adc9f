import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { PLANNED_POSTS } from '../planned-posts/planned-posts.tables.js';
import { type PostApproval, type PostRow, POSTS } from './posts.tables.js';

/** The reason why a planned post is waiting (D-65). */
export interface PlanHold {
  /** `restored`: events were lost, so the post may have been published, changed or cancelled since (D-80). */
  readonly rule: 'scheduled' | 'approval' | 'restored';
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

/** Returns what a planned post is waiting for; a recovery takes precedence, then approval. */
export const planHoldOf = (
  post: Pick<PostRow, 'publish_at' | 'approval' | 'plan_event'>,
  isHeld: boolean,
): PlanHold => {
  const { publish_at: publishAt, plan_event: eventId } = post;
  if (isHeld) return { rule: 'restored', until: null, eventId, publishAt };
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
    const { rows } = await this.pool.query<{ post: PostRow; is_held: boolean }>({
      name: 'plans of posts',
      text: `select jsonb_build_object('post_id', p.post_id, 'publish_at', p.publish_at, 'approval', p.approval,
               'plan_event', p.plan_event) as post,
               exists (select from ${PLANNED_POSTS}.planned_post h where h.post_id = p.post_id and h.is_held) as is_held
             from ${POSTS}.post p where p.post_id = any($1)`,
      values: [[...new Set(postIds)]],
    });
    return new Map(rows.map(({ post, is_held }) => [post.post_id, planHoldOf(post, is_held)]));
  }
}
