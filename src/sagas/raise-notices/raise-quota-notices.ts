import { Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { raiseNotice } from '../../commands/notice.js';
import { monthlyPostsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { channel as channelDecider } from '../../domain/channel/channel.decider.js';
import {
  computePostsLeft,
  countToNextLevel,
  findQuotaLevel,
  hasMonthlyQuota,
  type MonthlyPosts,
  NEARLY_USED_PERCENT,
  type PostsLeft,
  type QuotaLevel,
  toMonth,
} from '../../domain/owner/monthly-quota.js';
import { owner as ownerDecider, type OwnerState } from '../../domain/owner/owner.decider.js';
import type { OwnerPlanChanged } from '../../domain/owner/owner.events.js';
import type { PublicationHeld, PublicationSucceeded } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { iso } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { deriveId } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { findUsage } from '../../projections/posts/usage.queries.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { causedBy } from '../engine/caused-by.js';
import { FollowsLog } from '../engine/follows-log.js';
import { noticesIn } from './raise-notices.js';

type Trigger = PublicationSucceeded | PublicationHeld | OwnerPlanChanged;

/** An owner's cached usage for a month; saves reads while the next level is far off. */
interface KnownMonth {
  readonly month: string;
  /** `performance.now()` timestamp of expiry: post packs and other processes also change the usage. */
  readonly until: number;
  /** Number of further publications before the next level may be reached. */
  countLeft: number;
}

const NAME = 'raise-quota-notices';
const CACHE_SIZE = 10_000;
const KNOWN_MS = 10_000;

/**
 * Raises a notice when an owner has used 80 % of the month's posts, and another when no posts are left (D-18): each at
 * most once a month, because its id is derived from owner, month and level (ADR-164). A plan change or a publication
 * that is waiting for quota also triggers the check.
 */
@FollowsLog<Trigger>({
  name: NAME,
  types: ['PublicationSucceeded', 'PublicationHeld', 'OwnerPlanChanged'],
  startsAt: 'now',
  lanes: 'owner',
})
export class RaiseQuotaNotices {
  private readonly owners = new BoundedCache<string>(CACHE_SIZE);
  private readonly months = new BoundedCache<KnownMonth>(CACHE_SIZE);
  /** Each plan's quota; null means unlimited. */
  private readonly monthlyPosts: MonthlyPosts;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly progress: ProjectionProgress,
    @Inject(SETTINGS) { limitsProfile }: Settings,
  ) {
    this.monthlyPosts = monthlyPostsOf(limitsProfile);
  }

  async react(event: RecordedEventOf<Trigger>): Promise<void> {
    const ownerId = 'ownerId' in event.data ? event.data.ownerId : await this.findOwner(event.data.channelId);
    if (ownerId === null || (event.type === 'PublicationSucceeded' && this.isFarFromLevel(ownerId, event))) return;
    const { aggregates, progress, pool, monthlyPosts } = this;
    const { state } = await aggregates.loadAggregate(ownerDecider, ownerId);
    if (!state || state.deleted) return;
    const month = toMonth(event.at);
    const known = { month, until: performance.now() + KNOWN_MS };
    if (!hasMonthlyQuota(state.plan, monthlyPosts)) return this.months.set(ownerId, { ...known, countLeft: Infinity });
    await progress.requireUpTo('posts', event.position);
    const posts = computePostsLeft(await findUsage(pool, [ownerId]), state, event.at, monthlyPosts);
    const level = findQuotaLevel(posts);
    if (level) await this.raise(event, ownerId, state, posts, level);
    this.months.set(ownerId, { ...known, countLeft: countToNextLevel(posts) ?? Infinity });
  }

  /** Counts a publication. Returns true if it cannot have taken the owner to the next level. */
  private isFarFromLevel(ownerId: string, { at }: RecordedEventOf<Trigger>): boolean {
    const known = this.months.get(ownerId);
    if (!known || known.month !== toMonth(at) || known.until < performance.now()) return false;
    known.countLeft -= 1;
    return known.countLeft > 0;
  }

  /** Returns the owner of a channel, which never changes; null if there is none. */
  private async findOwner(channelId: string): Promise<string | null> {
    const known = this.owners.get(channelId);
    if (known !== undefined) return known;
    const { state } = await this.aggregates.loadAggregate(channelDecider, channelId);
    if (state) this.owners.set(channelId, state.ownerId);
    return state?.ownerId ?? null;
  }

  private async raise(
    event: RecordedEventOf<Trigger>,
    ownerId: string,
    { locale }: NonNullable<OwnerState>,
    { month, used, left, resetsAt }: PostsLeft,
    level: QuotaLevel,
  ): Promise<void> {
    const noticeId = deriveId('ntc', `quota/${level}/${ownerId}/${month}`);
    const say = noticesIn(locale);
    const values = { month, used, total: used + (left ?? 0), until: iso(resetsAt) };
    const text =
      level === 'used_up' ? say.quotaUsedUp(values) : say.quotaNearlyUsed({ ...values, percent: NEARLY_USED_PERCENT });
    const { at } = event;
    const context = { ...causedBy(event, NAME), commandId: `${NAME}/${noticeId}`, at };
    const data = { noticeId, ownerId, kind: `quota.${level}`, subject: { month }, text, at } as const;
    await raiseNotice(this.aggregates, context, data);
  }
}
