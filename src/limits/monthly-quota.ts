import type { QueryBus } from '@nestjs/cqrs';
import { type LimitsProfile, monthlyPostsOf, type Plan } from '../config/limits-profile.js';
import type { Clock } from '../kernel/clock.js';
import type { EndpointAccess } from '../projections/discovery/endpoint-access.queries.js';
import { FindPostsLeft, type PostsLeft } from '../projections/posts/usage.queries.js';

/** An owner's present month, as far as it says when nothing is left of it. */
export interface OwnerMonth {
  /** `<owner>/<month>`: the key under which the posts projection counts. */
  readonly ownerMonth: string;
  /** How many publications of the month leave nothing; so many may be the truth or fewer than it, never more. */
  readonly usedUpAt: number;
  readonly left: PostsLeft;
}

interface Known {
  readonly version: string;
  readonly month: OwnerMonth;
}

const CACHE_SIZE = 10_000;

/**
 * The monthly post quota (D-18): what is left is worked out once, and turned into the count of publications at which
 * nothing will be; that count alone is compared for every post, by the limiter. A changed plan and a bought post pack
 * give the endpoint a new version, and with it a new count.
 */
export class MonthlyQuota {
  private readonly remembered = new Map<string, Known>();
  private readonly monthlyPosts: Readonly<Record<Plan, number | null>>;

  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
    profile: LimitsProfile,
  ) {
    this.monthlyPosts = monthlyPostsOf(profile);
  }

  /**
   * The owner's month as it is remembered, which may be a moment old; null where the plan has no quota, undefined where
   * nothing is remembered.
   */
  known(endpoint: EndpointAccess): OwnerMonth | null | undefined {
    if (this.monthlyPosts[endpoint.plan] === null) return null;
    const known = this.remembered.get(endpoint.endpoint_id);
    const isPresent = known?.version === endpoint.version && known.month.ownerMonth === this.ownerMonth(endpoint);
    return isPresent ? known.month : undefined;
  }

  /** The owner's month as the posts' read model has it now; null where the plan has no quota. */
  async fresh(endpoint: EndpointAccess): Promise<OwnerMonth | null> {
    const ownerMonth = this.ownerMonth(endpoint);
    const query = new FindPostsLeft([endpoint], this.clock.now(), this.monthlyPosts);
    const left = (await this.queries.execute(query)).get(endpoint.owner_id)!;
    if (left.left === null) return null;
    const month = { ownerMonth, usedUpAt: left.used + left.left, left };
    if (this.remembered.size >= CACHE_SIZE) this.remembered.delete(this.remembered.keys().next().value!);
    this.remembered.set(endpoint.endpoint_id, { version: endpoint.version, month });
    return month;
  }

  private ownerMonth({ owner_id }: EndpointAccess): string {
    return `${owner_id}/${new Date(this.clock.now()).toISOString().slice(0, 7)}`;
  }
}
