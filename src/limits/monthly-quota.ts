import { Inject, Injectable } from '@nestjs/common';
import { type LimitsProfile, monthlyPostsOf } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import {
  computeUsedUpAt,
  hasMonthlyQuota,
  type MonthlyPosts,
  ownerMonthKey,
  type PostsLeft,
} from '../domain/owner/monthly-quota.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { OwnerRow } from '../projections/discovery/discovery.tables.js';
import type { EndpointSnapshot } from '../projections/discovery/endpoint-snapshots.queries.js';
import { FindPostsLeft } from '../projections/posts/usage.queries.js';
import { BoundedCache } from '../runtime/bounded-cache.js';

/** An owner's current month, and how many publications use up its quota. */
export interface OwnerMonth {
  /** `<owner>/<month>`: the key of the posts projection's count. */
  readonly ownerMonth: string;
  /** How many publications use up the month's quota. May be too low, but never too high. */
  readonly usedUpAt: number;
  readonly left: PostsLeft;
}

interface CachedMonth {
  readonly version: string;
  readonly month: OwnerMonth;
}

const CACHE_SIZE = 10_000;

/**
 * The monthly post quota (D-18). The number of publications at which the quota is used up is computed once and cached;
 * for each post, the limiter only compares the month's count with it. When the plan changes or a post pack is added,
 * the endpoint gets a new version, which invalidates the cached number.
 */
@Injectable()
export class MonthlyQuota {
  private readonly cache = new BoundedCache<CachedMonth>(CACHE_SIZE);
  private readonly monthlyPosts: MonthlyPosts;

  constructor(
    private readonly query: FindPostsLeft,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.monthlyPosts = monthlyPostsOf(profile);
  }

  /** Returns the cached month, which may be outdated; null if the plan has no quota, undefined if none is cached. */
  findCached(endpoint: EndpointSnapshot): OwnerMonth | null | undefined {
    if (!hasMonthlyQuota(endpoint.plan, this.monthlyPosts)) return null;
    const cached = this.cache.get(endpoint.endpoint_id);
    const isCurrent =
      cached?.version === endpoint.version &&
      cached.month.ownerMonth === ownerMonthKey(endpoint.owner_id, this.clock.now());
    return isCurrent ? cached.month : undefined;
  }

  /** Returns how many posts each of these owners has used and has left this month, by owner id. */
  findPostsLeft(
    owners: readonly Pick<OwnerRow, 'owner_id' | 'plan' | 'pack_posts'>[],
  ): Promise<Map<string, PostsLeft>> {
    return this.query.execute(owners, this.clock.now(), this.monthlyPosts);
  }

  /** Loads the month from the posts read model; null if the plan has no quota. */
  async loadMonth(endpoint: EndpointSnapshot): Promise<OwnerMonth | null> {
    const now = this.clock.now();
    const left = (await this.query.execute([endpoint], now, this.monthlyPosts)).get(endpoint.owner_id)!;
    const usedUpAt = computeUsedUpAt(left);
    if (usedUpAt === null) return null;
    const month = { ownerMonth: ownerMonthKey(endpoint.owner_id, now), usedUpAt, left };
    this.cache.set(endpoint.endpoint_id, { version: endpoint.version, month });
    return month;
  }
}
