import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type LimitsProfile, monthlyPostsOf } from '../../../config/limits-profile.js';
import { LIMITS_PROFILE } from '../../../config/tokens.js';
import {
  computePostsLeft,
  computeUsedUpAt,
  hasMonthlyQuota,
  type MonthlyPosts,
} from '../../../domain/owner/monthly-quota.js';
import { owner as ownerDecider, type OwnerState } from '../../../domain/owner/owner.decider.js';
import { AggregateCache, AggregateStore, type LoadedAggregate } from '../../../event-store/aggregate-store.js';
import type { Instant } from '../../../kernel/clock.js';
import { POOL } from '../../../postgres/tokens.js';
import { findUsage } from '../../../projections/posts/usage.queries.js';
import { BoundedCache } from '../../../runtime/bounded-cache.js';

/** Whether a publication may use one of its owner's posts for the month. */
export type QuotaReservation =
  /** `isHeld`: a post is reserved, and must be released if nothing is published. False for an owner without a quota. */
  | { readonly kind: 'taken'; readonly isHeld: boolean }
  /** Running attempts have reserved all posts left this month, but may fail and release them. */
  | { readonly kind: 'busy' }
  /** Nothing more is sent for this owner. */
  | { readonly kind: 'owner_deleted' }
  | { readonly kind: 'used_up'; readonly until: Instant; readonly ownerRevision: number };

/** How long to remember that an owner has no quota, in ms. */
const UNLIMITED_TTL_MS = 1_000;
const CACHE_SIZE = 10_000;

const UNLIMITED: QuotaReservation = { kind: 'taken', isHeld: false };

/**
 * Enforces the monthly quota when posts are published (D-18, D-46). The count is exact across all workers. Reads plan
 * and packs from the owner's stream, so that a worker woken by a change sees it. An owner without a quota costs one
 * read per second.
 */
@Injectable()
export class PublishingQuota {
  private readonly owners: AggregateCache<OwnerState>;
  private readonly unlimited = new BoundedCache<{ readonly at: number; readonly isUnlimited: Promise<boolean> }>(
    CACHE_SIZE,
  );
  private readonly monthlyPosts: MonthlyPosts;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    aggregates: AggregateStore,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.monthlyPosts = monthlyPostsOf(profile);
    this.owners = new AggregateCache(aggregates, ownerDecider);
  }

  /** Reserves a post for a publication. @throws Unavailable @throws the database's errors */
  async reserve(ownerId: string, publicationId: string, worker: string, now: Instant): Promise<QuotaReservation> {
    if (await this.isUnlimited(ownerId)) return UNLIMITED;
    const owner = await this.owners.loadLatest(ownerId);
    if (owner.state?.deleted) return { kind: 'owner_deleted' };
    if (!owner.state || !this.hasQuota(owner)) return UNLIMITED;
    const months = await findUsage(this.pool, [ownerId]);
    const postsLeft = computePostsLeft(months, owner.state, now, this.monthlyPosts);
    const { rows } = await this.pool.query<{ outcome: QuotaReservation['kind'] }>({
      name: 'reserve quota',
      text: 'select ops_reserve_quota($1, $2, $3, $4, $5) as outcome',
      values: [ownerId, publicationId, worker, postsLeft.month, computeUsedUpAt(postsLeft)],
    });
    const { outcome } = rows[0]!;
    if (outcome === 'taken') return { kind: outcome, isHeld: true };
    if (outcome === 'busy') return { kind: outcome };
    return { kind: outcome, until: postsLeft.resetsAt, ownerRevision: Number(owner.revision) };
  }

  /** Releases a post that a worker has reserved but not used. */
  async release(publicationId: string, worker: string): Promise<void> {
    const text = 'delete from ops_quota_reservation where publication_id = $1 and worker_id = $2';
    await this.pool.query({ name: 'release quota', text, values: [publicationId, worker] });
  }

  /** Reads the owner once for all concurrent calls. */
  private async isUnlimited(ownerId: string): Promise<boolean> {
    const known = this.unlimited.get(ownerId);
    if (known && performance.now() < known.at + UNLIMITED_TTL_MS) return known.isUnlimited;
    const isUnlimited = this.owners.loadLatest(ownerId).then((owner) => !owner.state?.deleted && !this.hasQuota(owner));
    this.unlimited.set(ownerId, { at: performance.now(), isUnlimited });
    isUnlimited.catch(() => this.unlimited.delete(ownerId));
    return isUnlimited;
  }

  private hasQuota({ state }: LoadedAggregate<OwnerState>): boolean {
    return state !== null && hasMonthlyQuota(state.plan, this.monthlyPosts);
  }
}
