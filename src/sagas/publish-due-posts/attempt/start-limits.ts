import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type LimitsProfile, monthlyPostsOf } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { LIMITS_PROFILE, SETTINGS } from '../../../config/tokens.js';
import {
  computePostsLeft,
  computeUsedUpAt,
  hasMonthlyQuota,
  type MonthlyPosts,
} from '../../../domain/owner/monthly-quota.js';
import { owner as ownerDecider, type OwnerState } from '../../../domain/owner/owner.decider.js';
import { AggregateCache, AggregateStore, type LoadedAggregate } from '../../../event-store/aggregate-store.js';
import type { Instant } from '../../../kernel/clock.js';
import type { Pace, PlatformChannel, SendContext, Step } from '../../../platforms/publisher.js';
import { accountBudget, type CallBudget, CallTurns, chatBudget } from '../../../postgres/call-turns.js';
import { POOL } from '../../../postgres/tokens.js';
import { findUsage } from '../../../projections/posts/usage.queries.js';
import { BoundedCache } from '../../../runtime/bounded-cache.js';
import { FairSlots } from '../../../runtime/semaphore.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { PublicationAttempt } from './publication-attempt.js';

/** How long an owner counts as active after the start of a publication, in ms. */
const ACTIVE_MS = 2_000;

/** While several owners publish, an owner's publications start in groups of this size, one group per interval. */
const GROUP_SIZE = 8;
/** Changes start at half that pace: each costs as much as a publication, and a thousand may take twenty seconds. */
const CHANGES_IN_GROUP = 4;
const GROUP_INTERVAL_MS = 80;
/** Maximum number of owners whose latest group is remembered. */
const MAX_OWNERS = 10_000;

interface Group {
  /** Monotonic time in ms. */
  readonly startsAt: number;
  size: number;
}

/**
 * Limits how many publications of a process prepare at the same time while several owners publish (D-68, ADR-222).
 * Otherwise hundreds of one owner's due posts would fill every queue on the way to the network. Each owner's
 * publications also start in small groups, at most a hundred a second. An owner that publishes alone is not limited,
 * because larger batches cost less.
 */
export class StartTurns {
  private readonly slots: FairSlots;
  /** The latest group of each owner. */
  private readonly groups = new BoundedCache<Group>(MAX_OWNERS);
  private latest: { readonly owner: string; at: number } | null = null;
  /** The owner that was active before `latest`. */
  private previous: { readonly owner: string; readonly at: number } | null = null;

  /**
   * @param size number of publications that may prepare at a time; one owner uses at most half of it
   * @param now monotonic time in ms
   */
  constructor(
    size: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.slots = new FairSlots(size);
  }

  /**
   * Waits until a publication may prepare.
   * @returns a function that lets the next publication start, once; null if the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (this.isAlone(owner)) return () => undefined;
    await this.waitForGroup(owner, GROUP_SIZE, signal);
    let release: (() => void) | null = await this.slots.acquire(owner, signal).catch(() => null);
    if (release === null) return null;
    return () => {
      release?.();
      release = null;
    };
  }

  /**
   * Waits until a change of what is published may begin, or until the signal aborts. Changes start in groups of their own,
   * because none waits behind posts (D-78).
   */
  async waitForChange(owner: string, signal: AbortSignal): Promise<void> {
    if (!this.isAlone(owner)) await this.waitForGroup(`changes/${owner}`, CHANGES_IN_GROUP, signal);
  }

  private async waitForGroup(key: string, size: number, signal: AbortSignal): Promise<void> {
    const untilStart = this.joinGroup(key, size) - this.now();
    if (untilStart > 0) await sleepUnlessAborted(untilStart, signal);
  }

  /** Adds a publication to the owner's latest group, or else to a new group. @returns the group's start */
  private joinGroup(key: string, size: number): number {
    const now = this.now();
    const latest = this.groups.get(key);
    const startsAt = Math.max(now, latest ? latest.startsAt + GROUP_INTERVAL_MS : now);
    const hasRoom = latest && latest.size < size && startsAt > now;
    const group = hasRoom ? latest : { startsAt, size: 0 };
    group.size++;
    this.groups.set(key, group);
    return group.startsAt;
  }

  /** Records that an owner is active. @returns true if no other owner is active */
  private isAlone(owner: string): boolean {
    const at = this.now();
    if (this.latest?.owner === owner) this.latest.at = at;
    else {
      this.previous = this.latest;
      this.latest = { owner, at };
    }
    return this.previous === null || at > this.previous.at + ACTIVE_MS;
  }
}

type PacedAttempt = Pick<PublicationAttempt, 'publisher' | 'target' | 'ownerId' | 'signals' | 'endStart'>;

/**
 * Paces calls to the networks to keep their 429s rare, with a sliding window for each account and each chat of an
 * owner, shared by all workers (`ops_reserve_slots`). A call reserves its turn once and then waits for it, so calls are
 * made in order of arrival. While a call waits for one budget, it holds no turn in the next.
 */
@Injectable()
export class Pacing {
  /** The PACING setting. */
  readonly enabled: boolean;

  constructor(
    private readonly turns: CallTurns,
    private readonly concurrency: GroupConcurrency,
    private readonly starts: StartTurns,
    @Inject(SETTINGS) { pacing }: Settings,
  ) {
    this.enabled = pacing;
  }

  /**
   * Waits until a call may be made, or until the drain signal. Only a visible call counts towards its chat.
   * @param queued id of the publication if it stays queued, so that the API can show its turn
   * @returns true if it waited, so data read earlier may be stale
   */
  async waitForTurn(
    { publisher, target, ownerId, signals, endStart }: PacedAttempt,
    step: Pick<Step, 'visible'>,
    credentials: SendContext['credentials'],
    queued?: string,
  ): Promise<boolean> {
    if (!this.enabled) return false;
    const { platform, pace } = publisher;
    const caller = { platform, ownerId, credential: publisher.credentialFor(credentials, step.visible) };
    let budgets = [accountBudget(caller, limitsOf(pace.perCredential))];
    if (step.visible) budgets.unshift(chatBudget(caller, target.address, limitsOf(pace.perChannel)));
    let hasWaited = false;
    while (budgets.length > 0 && !signals.drain.aborted) {
      const { count, waitMs } = await this.turns.reserve(budgets, queued);
      budgets = budgets.slice(count);
      if (waitMs === 0) continue;
      hasWaited = true;
      endStart();
      const place = { group: platform, owner: ownerId };
      await this.concurrency.releaseWhile(place, sleepUnlessAborted(waitMs, signals.drain), signals.drain);
    }
    return hasWaited;
  }

  /**
   * Waits until a call may be made that changes what is published, or until the drain signal. Changes have a window of
   * their own, so that none waits behind posts (D-78), but later posts make room for them.
   * @param chat the channel's address, if the call keeps the chat's pace too
   */
  async waitForChange(
    { publisher, ownerId, signals }: Pick<PacedAttempt, 'publisher' | 'ownerId' | 'signals'>,
    credentials: SendContext['credentials'],
    chat: PlatformChannel['address'] | null = null,
  ): Promise<void> {
    if (!this.enabled) return;
    await this.starts.waitForChange(ownerId, signals.drain);
    const { platform, pace } = publisher;
    const caller = { platform, ownerId, credential: publisher.credentialFor(credentials, false) };
    const account = accountBudget(caller, limitsOf(pace.perCredential));
    const ofChat = chat ? [chatBudget(caller, chat, limitsOf(pace.perChannel))] : [];
    const budgets = [account, ...ofChat];
    const changes = budgets.map((budget) => ({ ...budget, key: `changes/${budget.key}` }));
    const turns = await Promise.all([...changes, ...budgets].map((budget) => this.turns.reserve([budget])));
    const waitMs = Math.max(...turns.slice(0, changes.length).map((turn) => turn.waitMs));
    if (waitMs > 0) await sleepUnlessAborted(waitMs, signals.drain);
  }
}

const limitsOf = (pace: readonly Pace[]): CallBudget['limits'] =>
  pace.map(({ calls, perMs }) => [calls, perMs] as const);

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
