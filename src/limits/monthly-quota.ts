import type { QueryBus } from '@nestjs/cqrs';
import { type LimitsProfile, monthlyPostsOf } from '../config/limits-profile.js';
import {
  computeUsedUpAt,
  hasMonthlyQuota,
  type MonthlyPosts,
  ownerMonthKey,
  type PostsLeft,
} from '../domain/owner/monthly-quota.js';
import type { Clock } from '../kernel/clock.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import type { EndpointSnapshot } from '../projections/discovery/endpoint-snapshots.queries.js';
import { FindPostsLeft } from '../projections/posts/usage.queries.js';

/** An owner's current month, with the number of publications that uses up its quota. */
export interface OwnerMonth {
  /** `<owner>/<month>`: the key of the posts projection's count. */
  readonly ownerMonth: string;
  /** Number of publications that uses up the month's quota. It may be lower than the true number, never higher. */
  readonly usedUpAt: number;
  readonly left: PostsLeft;
}

interface CachedMonth {
  readonly version: string;
  readonly month: OwnerMonth;
}

const CACHE_SIZE = 10_000;

/**
 * The monthly post quota (D-18). The posts left are computed once and cached as the number of publications that uses them up;
 * for each post the limiter compares only that number. A change of plan or a bought post pack gives the endpoint a new
 * version, which invalidates the cached number.
 */
export class MonthlyQuota {
  private readonly cache = new BoundedCache<CachedMonth>(CACHE_SIZE);
  private readonly monthlyPosts: MonthlyPosts;

  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
    profile: LimitsProfile,
  ) {
    this.monthlyPosts = monthlyPostsOf(profile);
  }

  /** Returns the cached month, which may be outdated; null if the plan has no quota, undefined if nothing is cached. */
  findCached(endpoint: EndpointSnapshot): OwnerMonth | null | undefined {
    if (!hasMonthlyQuota(endpoint.plan, this.monthlyPosts)) return null;
    const cached = this.cache.get(endpoint.endpoint_id);
    const isCurrent =
      cached?.version === endpoint.version &&
      cached.month.ownerMonth === ownerMonthKey(endpoint.owner_id, this.clock.now());
    return isCurrent ? cached.month : undefined;
  }

  /** Loads the month from the posts read model; null if the plan has no quota. */
  async loadMonth(endpoint: EndpointSnapshot): Promise<OwnerMonth | null> {
    const now = this.clock.now();
    const query = new FindPostsLeft([endpoint], now, this.monthlyPosts);
    const left = (await this.queries.execute(query)).get(endpoint.owner_id)!;
    const usedUpAt = computeUsedUpAt(left);
    if (usedUpAt === null) return null;
    const month = { ownerMonth: ownerMonthKey(endpoint.owner_id, now), usedUpAt, left };
    this.cache.set(endpoint.endpoint_id, { version: endpoint.version, month });
    return month;
  }
}
