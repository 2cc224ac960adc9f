import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import {
  computePostsLeft,
  largerPlan,
  type MonthlyPosts,
  ownerMonthKey,
  type PostsLeft,
  toMonth,
} from '../../domain/owner/monthly-quota.js';
import { type OwnerEvent, PLANS } from '../../domain/owner/owner.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY, type OwnerRow } from '../discovery/discovery.tables.js';
import type { Tx, Write } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { type OwnerPlanRow, ownerPlanRows, POSTS, type UsageRow, usageRows } from './posts.tables.js';

/** Finds how many posts each owner has used this month, and how many are left (D-18). */
@Injectable()
export class FindPostsLeft {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(
    owners: readonly Pick<OwnerRow, 'owner_id' | 'plan' | 'pack_posts'>[],
    now: Instant,
    monthlyPosts: MonthlyPosts,
  ): Promise<Map<string, PostsLeft>> {
    const ids = owners.map(({ owner_id }) => owner_id);
    const months = await findUsage(this.pool, ids);
    const left = owners.map(({ owner_id, plan, pack_posts: packPosts }): [string, PostsLeft] => {
      const own = months.filter((month) => month.owner_id === owner_id);
      return [owner_id, computePostsLeft(own, { plan, packPosts }, now, monthlyPosts)];
    });
    return new Map(left);
  }
}

/** Reads the number of publications of each owner, month by month. */
export const findUsage = async (pool: Pool, ownerIds: readonly string[]): Promise<UsageRow[]> => {
  const { rows } = await pool.query<{ row: UsageRow }>({
    name: 'usage of owners',
    text: `select to_json(u) as row from ${POSTS}.usage u where owner_id = any($1)`,
    values: [ownerIds],
  });
  return rows.map(({ row }) => row);
};

/** An owner who has used up the month's posts. */
export type UsedUpOwner = Pick<OwnerRow, 'owner_id' | 'name' | 'plan' | 'pack_posts'> & {
  readonly postsLeft: PostsLeft;
};

/** Finds owners who have used up the month's posts (D-18). */
@Injectable()
export class UsedUpOwners {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly findPostsLeft: FindPostsLeft,
  ) {}

  /** Finds these owners, ordered by id. Examines only owners who have published everything that their plan allows. */
  async find(now: Instant, monthlyPosts: MonthlyPosts): Promise<UsedUpOwner[]> {
    const limited = PLANS.filter((plan) => monthlyPosts[plan] !== null);
    if (limited.length === 0) return [];
    const { rows } = await this.pool.query<{ row: Omit<UsedUpOwner, 'postsLeft'> }>({
      name: 'owners at their quota',
      text: `
        select jsonb_build_object(
          'owner_id', o.owner_id, 'name', o.name, 'plan', o.plan, 'pack_posts', o.pack_posts) as row
        from unnest($1::text[], $2::int[]) q(plan, posts)
        join ${DISCOVERY}.owner o on o.plan = q.plan
        join ${POSTS}.usage u on u.owner_id = o.owner_id and u.month = $3 and u.published >= q.posts
        order by o.owner_id`,
      values: [limited, limited.map((plan) => monthlyPosts[plan]), toMonth(now)],
    });
    const owners = rows.map(({ row }) => row);
    const left = await this.findPostsLeft.execute(owners, now, monthlyPosts);
    const withPostsLeft = owners.map((owner) => ({ ...owner, postsLeft: left.get(owner.owner_id)! }));
    return withPostsLeft.filter(({ postsLeft }) => postsLeft.left === 0);
  }
}

/** Counts each owner's successful publications, month by month (publish-api.md: Limits; D-18). */
export class UsageCounter {
  private constructor(
    private readonly plans: Rows<OwnerPlanRow>,
    private readonly months: Rows<UsageRow>,
  ) {}

  /**
   * Loads the rows that a batch changes.
   * @param ownerIds owners in the batch's events
   * @param published publications in the batch's events, with their times
   */
  static async load(
    tx: Tx,
    ownerIds: readonly string[],
    published: readonly { readonly ownerId: string; readonly at: Instant }[],
    cache?: RowCache,
  ): Promise<UsageCounter> {
    const all = [...ownerIds, ...published.map(({ ownerId }) => ownerId)];
    const months = published.map(({ ownerId, at }) => ownerMonthKey(ownerId, at));
    return new UsageCounter(
      await Rows.load(tx, ownerPlanRows, all, cache),
      await Rows.load(tx, usageRows, months, cache),
    );
  }

  recordPlan(event: RecordedEventOf<OwnerEvent>): void {
    if (event.type !== 'OwnerRegistered' && event.type !== 'OwnerPlanChanged') return;
    this.plans.put({ owner_id: event.data.ownerId, plan: event.data.plan });
  }

  countPublication(ownerId: string, at: Instant, eventId: string): void {
    const key = ownerMonthKey(ownerId, at);
    const before = this.months.get(key);
    this.months.put({
      owner_month: key,
      owner_id: ownerId,
      month: toMonth(at),
      published: (before?.published ?? 0) + 1,
      plan: largerPlan(before?.plan ?? null, this.plans.get(ownerId)?.plan ?? null),
      last_event: eventId,
    });
  }

  takeWrites(): Write[] {
    return [...this.plans.takeWrites(), ...this.months.takeWrites()];
  }
}
