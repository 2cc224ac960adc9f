import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { computePostsLeft, type MonthlyPosts, type PostsLeft } from '../../domain/owner/monthly-quota.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import type { OwnerRow } from '../discovery/discovery.tables.js';
import { POSTS, type UsageRow } from './posts.tables.js';

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
    text: `select to_jsonb(u) as row from ${POSTS}.usage u where owner_id = any($1)`,
    values: [ownerIds],
  });
  return rows.map(({ row }) => row);
};
