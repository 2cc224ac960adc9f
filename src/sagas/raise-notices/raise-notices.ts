import { Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { raiseNotice } from '../../commands/notice.js';
import { listMessages } from '../../commands/publication.js';
import { monthlyPostsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { channel as channelDecider } from '../../domain/channel/channel.decider.js';
import type { ChannelNeedsAttention } from '../../domain/channel/channel.events.js';
import { endpoint as endpointDecider, type EndpointState } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDisabled } from '../../domain/endpoint/endpoint.events.js';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
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
import type { Locale, OwnerPlanChanged } from '../../domain/owner/owner.events.js';
import type { PostApprovalRequested } from '../../domain/post/post.events.js';
import { publication as publicationDecider } from '../../domain/publication/publication.decider.js';
import {
  type PublicationDuplicateFound,
  type PublicationEditFailed,
  type PublicationFailed,
  type PublicationHeld,
  type PublicationInDoubt,
  type PublicationSucceeded,
  type PublicationWithdrawalFailed,
  type PublicationWithdrawalPostponed,
  RESTORED,
  SLOW_WITHDRAWAL_MINUTES,
} from '../../domain/publication/publication.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { WebhookOutputDisabled } from '../../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { iso, MINUTE_MS } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { deriveId } from '../../kernel/ids.js';
import { asSentence } from '../../kernel/message.js';
import { excerptOfPost } from '../../payload/excerpt.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { nullIfUnreadable, PostPayloads } from '../../projections/posts/post-payloads.js';
import { findUsage } from '../../projections/posts/usage.queries.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { causedBy, FollowsLog } from '../engine/event-saga.js';
import { NOTICES_EN, NOTICES_RU } from './messages.js';

/** Returns the sentences of notices in a language; English by default. */
export const noticesIn = (locale?: Locale): typeof NOTICES_EN => (locale === 'ru' ? NOTICES_RU : NOTICES_EN);

type Trigger =
  | PublicationInDoubt
  | PublicationFailed
  | PublicationDuplicateFound
  | PublicationWithdrawalPostponed
  | PublicationWithdrawalFailed
  | PublicationEditFailed
  | ChannelNeedsAttention
  | EndpointDisabled
  | WebhookOutputDisabled
  | PostApprovalRequested;

/** The content of a notice, and the owner who receives it. */
type NoticeContent = Pick<NoticeRaised['data'], 'ownerId' | 'kind' | 'subject' | 'text'> & {
  /** What only one notice tells of, however many events do; default: the event. */
  readonly about?: string;
};

const NAME = 'raise-notices';

/**
 * Raises notices about events that an owner must know about (publish-api.md: Endpoint and pause states; D-25, D-26,
 * D-62). Each event raises one notice, however often it is handled; `NoticeRaised` then triggers the delivery.
 */
@FollowsLog<Trigger>({
  name: NAME,
  types: [
    'PublicationInDoubt',
    'PublicationFailed',
    'PublicationDuplicateFound',
    'PublicationWithdrawalPostponed',
    'PublicationWithdrawalFailed',
    'PublicationEditFailed',
    'ChannelNeedsAttention',
    'EndpointDisabled',
    'WebhookOutputDisabled',
    'PostApprovalRequested',
  ],
  startsAt: 'beginning',
  lanes: 'owner',
})
export class RaiseNotices {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly payloads: PostPayloads,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  async react(event: RecordedEventOf<Trigger>): Promise<void> {
    const found = await this.describe(event);
    if (!found) return;
    const { id, at } = event;
    const { about = id, ...content } = found;
    const context = { ...causedBy(event, NAME), commandId: `${NAME}/${about}`, at };
    await raiseNotice(this.aggregates, context, { noticeId: deriveId('ntc', about), ...content, at });
  }

  private describe(event: RecordedEventOf<Trigger>): Promise<NoticeContent | null> {
    const { aggregates } = this;
    switch (event.type) {
      case 'PostApprovalRequested':
        return describeApproval(aggregates, this.payloads, event);
      case 'PublicationWithdrawalPostponed':
        return describeDelay(aggregates, event.data, this.minuteMs);
      default:
        return describeEvent(aggregates, event);
    }
  }
}

/** Returns null if the owner need not be notified. */
const describeEvent = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Exclude<Trigger, PostApprovalRequested | PublicationWithdrawalPostponed>>,
): Promise<NoticeContent | null> => {
  if (event.type === 'EndpointDisabled') return describeDisabledEndpoint(aggregates, event.data);
  if (event.type === 'WebhookOutputDisabled') return describeDisabledOutput(aggregates, event.data);
  const { channelId } = event.data;
  const { state: channel } = await aggregates.loadAggregate(channelDecider, channelId);
  if (!channel) return null;
  const { ownerId, name, platform } = channel;
  const say = await loadMessages(aggregates, ownerId);
  const where = `"${name}" (${platform})`;
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { attention, until } = event.data;
      const error = asSentence(attention.message);
      const text = say.channelNeedsAttention({ channel: where, error, until: iso(until) });
      return { ownerId, kind: 'channel.needs_attention', subject: { channelId }, text };
    }
    case 'PublicationDuplicateFound': {
      const { postId, publicationId, messageIds, urls } = event.data;
      const { state } = await aggregates.loadAggregate(publicationDecider, publicationId);
      const messages = listMessages([state, { messageIds, urls }]);
      const text = say.publishedTwice({ post: postId, channel: where, messages });
      return { ownerId, kind: 'published_twice', subject: { channelId, postId, publicationId }, text };
    }
    case 'PublicationWithdrawalFailed': {
      const { postId, publicationId, error } = event.data;
      const text = say.withdrawFailed({ post: postId, channel: where, error: asSentence(error.message) });
      return { ownerId, kind: 'withdraw_failed', subject: { channelId, postId, publicationId }, text };
    }
    case 'PublicationEditFailed': {
      const { postId, publicationId, error } = event.data;
      const text = say.editFailed({ post: postId, channel: where, error: asSentence(error.message) });
      return { ownerId, kind: 'edit_failed', subject: { channelId, postId, publicationId }, text };
    }
    case 'PublicationFailed':
    case 'PublicationInDoubt': {
      const { postId, publicationId, error } = event.data;
      if (error.code === RESTORED) return null; // one notice tells the owner of all of them
      const subject = { channelId, postId, publicationId };
      const values = { post: postId, channel: where, error: asSentence(error.message) };
      return event.type === 'PublicationFailed'
        ? { ownerId, kind: 'publication.failed', subject, text: say.publicationFailed(values) }
        : { ownerId, kind: 'publication.in_doubt', subject, text: say.publicationInDoubt(values) };
    }
  }
};

/** Describes a deletion that takes long, once for each take-back; null until it is certain. */
const describeDelay = async (
  aggregates: AggregateStore,
  { postId, publicationId, channelId, retryAt, error }: PublicationWithdrawalPostponed['data'],
  minuteMs: number,
): Promise<NoticeContent | null> => {
  const { withdrawal } = (await aggregates.loadAggregate(publicationDecider, publicationId)).state;
  if (!withdrawal || retryAt - withdrawal.requestedAt < SLOW_WITHDRAWAL_MINUTES * minuteMs) return null;
  const { state: channel } = await aggregates.loadAggregate(channelDecider, channelId);
  if (!channel) return null;
  const { ownerId, name, platform } = channel;
  const say = await loadMessages(aggregates, ownerId);
  const values = { post: postId, channel: `"${name}" (${platform})`, error: asSentence(error.message) };
  const text = say.withdrawDelayed({ ...values, until: iso(retryAt) });
  const about = `withdrawing/${publicationId}/${withdrawal.requestedAt}`;
  return { ownerId, kind: 'withdraw_failed', subject: { channelId, postId, publicationId }, text, about };
};

const loadMessages = async (aggregates: AggregateStore, ownerId: string): Promise<typeof NOTICES_EN> => {
  const { state } = await aggregates.loadAggregate(ownerDecider, ownerId);
  return noticesIn(state?.locale);
};

/** Returns null if the owner disabled the endpoint. */
const describeDisabledEndpoint = async (
  aggregates: AggregateStore,
  { endpointId, by, reason }: EndpointDisabled['data'],
): Promise<NoticeContent | null> => {
  if (by === 'owner') return null;
  const { state: endpoint } = await aggregates.loadAggregate(endpointDecider, endpointId);
  if (!endpoint) return null;
  const say = await loadMessages(aggregates, endpoint.ownerId);
  const text = say.endpointDisabled({ endpoint: nameEndpoint(say, endpointId, endpoint), reason });
  return { ownerId: endpoint.ownerId, kind: 'endpoint.disabled', subject: { endpointId }, text };
};

const nameEndpoint = (say: typeof NOTICES_EN, id: string, endpoint: EndpointState): string => {
  const name = endpoint?.settings.name ?? null;
  return name === null ? say.endpointById({ id }) : say.endpointByName({ name });
};

/** Describes a post that is waiting for approval, as it was when it started waiting. */
const describeApproval = async (
  aggregates: AggregateStore,
  payloads: PostPayloads,
  event: RecordedEventOf<PostApprovalRequested>,
): Promise<NoticeContent> => {
  const { postId, endpointId, ownerId, publishAt } = event.data;
  const [say, { state: endpoint }, excerpt] = await Promise.all([
    loadMessages(aggregates, ownerId),
    aggregates.loadAggregate(endpointDecider, endpointId),
    payloads.readContentBefore(event).then(({ payload }) => excerptOfPost(payload), nullIfUnreadable),
  ]);
  const text = say.approvalNeeded({
    endpoint: nameEndpoint(say, endpointId, endpoint),
    post: postId,
    when: publishAt === null ? say.onApproval : say.atTime({ at: iso(publishAt) }),
    text: excerpt ?? say.noText,
  });
  return { ownerId, kind: 'approval_needed', subject: { endpointId, postId }, text };
};

/** Returns null if the owner disabled the webhook output. */
const describeDisabledOutput = async (
  aggregates: AggregateStore,
  { outputId, by, reason }: WebhookOutputDisabled['data'],
): Promise<NoticeContent | null> => {
  if (by === 'owner') return null;
  const { state: output } = await aggregates.loadAggregate(webhookOutput, outputId);
  if (!output) return null;
  const say = await loadMessages(aggregates, output.ownerId);
  const text = say.outputDisabled({ url: output.url, reason });
  return { ownerId: output.ownerId, kind: 'webhook_output.disabled', subject: { outputId }, text };
};

type QuotaTrigger = PublicationSucceeded | PublicationHeld | OwnerPlanChanged;

/** An owner's cached usage for a month; saves reads while the next level is far off. */
interface KnownMonth {
  readonly month: string;
  /** `performance.now()` timestamp of expiry: post packs and other processes also change the usage. */
  readonly until: number;
  /** Number of further publications before the next level may be reached. */
  countLeft: number;
}

const QUOTA_NOTICES = 'raise-quota-notices';
const CACHE_SIZE = 10_000;
const KNOWN_MS = 10_000;

/**
 * Raises a notice when an owner has used 80 % of the month's posts, and another when no posts are left (D-18): each at
 * most once a month, because its id is derived from owner, month and level (ADR-164). A plan change or a publication
 * that is waiting for quota also triggers the check.
 */
@FollowsLog<QuotaTrigger>({
  name: QUOTA_NOTICES,
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

  async react(event: RecordedEventOf<QuotaTrigger>): Promise<void> {
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
  private isFarFromLevel(ownerId: string, { at }: RecordedEventOf<QuotaTrigger>): boolean {
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
    event: RecordedEventOf<QuotaTrigger>,
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
    const context = { ...causedBy(event, QUOTA_NOTICES), commandId: `${QUOTA_NOTICES}/${noticeId}`, at };
    const data = { noticeId, ownerId, kind: `quota.${level}`, subject: { month }, text, at } as const;
    await raiseNotice(this.aggregates, context, data);
  }
}
