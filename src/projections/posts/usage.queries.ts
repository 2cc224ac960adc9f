import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import type { UsageRow } from './posts.tables.js';
import { monthOf } from './usage.js';

/** What is left to an owner of its month (D-18). */
export interface PostsLeft {
  /** UTC: `2026-11`. */
  readonly month: string;
  /** Publications that counted this month. */
  readonly used: number;
  /** Null: unlimited. */
  readonly left: number | null;
  /** Start of the next UTC month. */
  readonly resetsAt: Instant;
  /** The event of the latest publication that counted this month. */
  readonly lastEvent: string | null;
}

/**
 * How many posts owners have used this month and have left (D-18), by owner. A post pack lasts until it is used: it
 * serves what goes beyond a month's quota.
 */
export class FindPostsLeft extends Query<Map<string, PostsLeft>> {
  constructor(
    readonly owners: readonly { readonly owner_id: string; readonly plan: Plan; readonly pack_posts: number }[],
    readonly now: Instant,
    /** The plans' monthly quotas, as the limits profile has them; null: unlimited. */
    readonly monthlyPosts: Readonly<Record<Plan, number | null>>,
  ) {
    super();
  }
}

@QueryHandler(FindPostsLeft)
export class FindPostsLeftHandler implements IQueryHandler<FindPostsLeft> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ owners, now, monthlyPosts }: FindPostsLeft): Promise<Map<string, PostsLeft>> {
    const ids = owners.map(({ owner_id }) => owner_id);
    const months = await findUsage(this.pool, ids);
    const left = owners.map(({ owner_id, plan, pack_posts }): [string, PostsLeft] => {
      const own = months.filter((month) => month.owner_id === owner_id);
      return [owner_id, postsLeft(own, { plan, packPosts: pack_posts }, now, monthlyPosts)];
    });
    return new Map(left);
  }
}

/** What owners have had published, month by month. */
export const findUsage = async (pool: Pool, ownerIds: readonly string[]): Promise<UsageRow[]> => {
  const { rows } = await pool.query<{ row: UsageRow }>({
    name: 'usage of owners',
    text: 'select to_jsonb(u) as row from posts.usage u where owner_id = any($1)',
    values: [ownerIds],
  });
  return rows.map(({ row }) => row);
};

/** The arithmetic of {@link FindPostsLeft}: quota first, then packs; a pack has paid for every earlier month's excess. */
export const postsLeft = (
  months: readonly UsageRow[],
  { plan, packPosts }: { readonly plan: Plan; readonly packPosts: number },
  now: Instant,
  monthlyPosts: Readonly<Record<Plan, number | null>>,
): PostsLeft => {
  const excess = ({ published, plan: under }: UsageRow): number =>
    Math.max(0, published - (monthlyPosts[under ?? plan] ?? Infinity));
  const packsLeft = Math.max(0, packPosts - months.reduce((sum, month) => sum + excess(month), 0));
  const month = monthOf(now);
  const current = months.find((one) => one.month === month);
  const used = current?.published ?? 0;
  const quota = monthlyPosts[plan];
  const date = new Date(now);
  return {
    month,
    used,
    left: quota === null ? null : Math.max(0, quota - used) + packsLeft,
    resetsAt: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
    lastEvent: current?.last_event ?? null,
  };
};
