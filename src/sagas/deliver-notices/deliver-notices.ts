import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { Locale } from '../../domain/owner/owner.events.js';
import { MINUTE_MS } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { newUuid } from '../../kernel/ids.js';
import { LOG, type Log } from '../../kernel/log.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import { gatewayError, type PublishError, type StepOutcome } from '../../platforms/publisher.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { type NoticeChat, NoticeChats } from '../../projections/discovery/discovery.queries.js';
import { backoffDelay } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { type Secret, SecretVault, UnreadableSecret } from '../../secrets/vault.js';
import { FollowsLog } from '../engine/event-saga.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { NOTICE_GROUP_EN, NOTICE_GROUP_RU } from './messages.js';

/** Notices of one kind to one owner. */
interface NoticeGroup {
  readonly owner_id: string;
  readonly kind: string;
}

/** Notices sent together as one message; every attempt sends the same notices. */
interface NoticeBatch {
  readonly batch: string;
  readonly count: number;
  /** The messages of the oldest notices. */
  readonly texts: readonly string[];
  /** Time since the oldest notice was raised, in ms. */
  readonly ageMs: number;
  /** Number of consecutive failed attempts to send this batch. */
  readonly failures: number;
}

/** Queue of notices (`ops_notice`), and the earliest time of the next message of each kind (`ops_notice_pace`). */
@Injectable()
export class NoticeQueue {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Adds a notice; ignores repeats for a day after its delivery. */
  async add({ noticeId, ownerId, kind, text, at }: NoticeRaised['data']): Promise<void> {
    await this.pool.query(
      `insert into ops_notice (notice_id, owner_id, kind, text, raised_at)
       values ($1, $2, $3, $4, to_timestamp($5 / 1000.0)) on conflict do nothing`,
      [noticeId, ownerId, kind, text, at],
    );
  }

  /** Lists the due groups, oldest first. */
  async findDue(limit: number): Promise<readonly NoticeGroup[]> {
    const { rows } = await this.pool.query<NoticeGroup>(
      `select n.owner_id, n.kind from ops_notice n left join ops_notice_pace p using (owner_id, kind)
       where n.settled_at is null and (p.next_at is null or p.next_at <= clock_timestamp())
       group by 1, 2 order by min(n.raised_at) limit $1`,
      [limit],
    );
    return rows;
  }

  /** Returns the group's next batch: an unfinished batch, or else all waiting notices; null if there are none. */
  async openBatch({ owner_id, kind }: NoticeGroup, maxTexts: number): Promise<NoticeBatch | null> {
    await this.pool.query(
      `update ops_notice set batch = $3 where owner_id = $1 and kind = $2 and batch is null and settled_at is null
       and not exists (select from ops_notice b
         where b.owner_id = $1 and b.kind = $2 and b.batch is not null and b.settled_at is null)`,
      [owner_id, kind, newUuid()],
    );
    const { rows } = await this.pool.query<NoticeBatch>(
      `select n.batch, count(*)::int as count, (array_agg(n.text order by n.raised_at, n.notice_id))[:$3] as texts,
         (extract(epoch from clock_timestamp() - min(n.raised_at)) * 1000)::float8 as "ageMs",
         coalesce((select p.failures from ops_notice_pace p where p.owner_id = $1 and p.kind = $2), 0) as failures
       from ops_notice n where n.owner_id = $1 and n.kind = $2 and n.batch is not null and n.settled_at is null
       group by n.batch limit 1`,
      [owner_id, kind, maxTexts],
    );
    return rows[0] ?? null;
  }

  /** Ends a batch, delivered or not. The next message of its kind waits for `quietMs`. */
  async settle({ owner_id, kind }: NoticeGroup, { batch }: NoticeBatch, quietMs: number): Promise<void> {
    await this.pool.query(
      `with ended as (
         update ops_notice set settled_at = clock_timestamp(), text = '' where owner_id = $1 and kind = $2 and batch = $3)
       insert into ops_notice_pace (owner_id, kind, next_at, failures)
       values ($1, $2, clock_timestamp() + $4 * interval '1 ms', 0)
       on conflict (owner_id, kind) do update set next_at = excluded.next_at, failures = 0`,
      [owner_id, kind, batch, quietMs],
    );
  }

  /** Makes a batch due again later. */
  async postpone({ owner_id, kind }: NoticeGroup, delayMs: number): Promise<void> {
    await this.pool.query(
      `insert into ops_notice_pace as p (owner_id, kind, next_at, failures)
       values ($1, $2, clock_timestamp() + $3 * interval '1 ms', 1)
       on conflict (owner_id, kind) do update set next_at = excluded.next_at, failures = p.failures + 1`,
      [owner_id, kind, delayMs],
    );
  }

  /** Drops all notices to an owner without a chat. */
  async dropAll(ownerId: string): Promise<void> {
    await this.pool.query(
      `update ops_notice set settled_at = clock_timestamp(), text = '' where owner_id = $1 and settled_at is null`,
      [ownerId],
    );
  }

  /** Deletes notices settled over a day ago, and rows of `ops_notice_pace` that no longer delay a message. */
  async forget(): Promise<void> {
    await this.pool.query(`delete from ops_notice where settled_at < clock_timestamp() - interval '1 day'`);
    await this.pool.query(
      `delete from ops_notice_pace p where next_at < clock_timestamp() - interval '1 hour' and not exists (
         select from ops_notice n where n.owner_id = p.owner_id and n.kind = p.kind and n.settled_at is null)`,
    );
  }
}

/** Queues each raised notice for delivery. Repeated events are ignored until a day after delivery. */
@FollowsLog<NoticeRaised>({ name: 'queue-notices', types: ['NoticeRaised'], startsAt: 'now', lanes: 'owner' })
export class QueueNotices {
  constructor(private readonly queue: NoticeQueue) {}

  react({ data }: RecordedEventOf<NoticeRaised>): Promise<void> {
    return this.queue.add(data);
  }
}

/** Maximum number of notices that a message lists in full. */
const MAX_LISTED = 8;
/** Maximum length of a listed notice, in UTF-16 units: eight notices fit into one message on any network. */
const MAX_LENGTH = 450;

/**
 * Renders notices of one kind as one message.
 * @param texts the first notices, oldest first
 * @param count total number of notices
 */
const renderNotices = (texts: readonly string[], count: number, locale: Locale): string => {
  const say = locale === 'ru' ? NOTICE_GROUP_RU : NOTICE_GROUP_EN;
  if (count <= 1) return texts[0] ?? '';
  const listed = texts.slice(0, MAX_LISTED).map((text) => `• ${shorten(text)}`);
  const more = count > listed.length ? [say.more({ count: count - listed.length })] : [];
  return [say.several({ count }), ...listed, ...more].join('\n\n');
};

const shorten = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${Buffer.from(text.slice(0, MAX_LENGTH - 1))
        .toString()
        .replace(/\ufffd$/, '')}…`;

const LEASE = 'deliver-notices';
const SWEEP_MS = 1_000;
/** Number of messages sent at a time. */
const BATCH_SIZE = 16;
/** Minimum time between two messages of one kind to the same owner, in minutes. */
const QUIET_MINUTES = 10;
/** Age at which a notice is abandoned, in minutes. */
const MAX_AGE_MINUTES = 24 * 60;
/** Delays before a message is sent again, in ms. */
const RETRY = { firstMs: 5_000, longestMs: 600_000 };
/** How long a stopping process waits for messages in progress, in ms. */
const DRAIN_MS = 3_000;
const SWEEP_RETRY = { firstMs: 100, longestMs: 10_000 };

type Attempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'refused'; readonly error: PublishError }
  | { readonly kind: 'retry'; readonly error: PublishError; readonly afterMs: number | null };

/**
 * Delivers notices to the owners' chats, in one process at a time. Combines an owner's notices of one kind into one
 * message, at most every ten minutes (ADR-163). Notices count as delivered once their message is sent: a crash never
 * loses a notice, and repeats a message only if its response was lost. A permanent refusal ends the batch at once; any
 * other failure is retried for a day.
 */
@Injectable()
export class DeliverNotices {
  constructor(
    private readonly queue: NoticeQueue,
    private readonly chats: NoticeChats,
    private readonly vault: SecretVault,
    private readonly platforms: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly leases: Leases,
    @Inject(LOG) private readonly log: Log,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** Runs until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const work = async (held: AbortSignal, lost: AbortSignal): Promise<void> => {
      await this.queue.forget();
      await this.sweepUntil(held, lost);
    };
    const failure = 'failed to deliver notices; retrying';
    return runUnderLease(this.leases, this.log, { lease: LEASE, retry: SWEEP_RETRY, failure, work }, signal);
  }

  /** @param lost aborts messages in progress at once */
  private async sweepUntil(signal: AbortSignal, lost: AbortSignal): Promise<void> {
    const drained = new AbortController();
    signal.addEventListener('abort', () => void setTimeout(() => drained.abort(), DRAIN_MS).unref());
    const sending = AbortSignal.any([lost, drained.signal]);
    while (!signal.aborted) {
      const due = await this.queue.findDue(BATCH_SIZE);
      // The lease is held until all calls have settled; otherwise, another process would send the same messages again.
      const ends = await Promise.allSettled(due.map((group) => this.deliver(group, sending)));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      if (due.length === BATCH_SIZE) continue;
      await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  private async deliver(group: NoticeGroup, signal: AbortSignal): Promise<void> {
    const { queue, chats, log, minuteMs } = this;
    const chat = await chats.find(group.owner_id);
    if (!chat) return queue.dropAll(group.owner_id);
    const batch = await queue.openBatch(group, MAX_LISTED);
    if (!batch) return;
    const attempt = await this.send(batch, chat, signal);
    const quietMs = QUIET_MINUTES * minuteMs;
    if (attempt.kind === 'delivered') return queue.settle(group, batch, quietMs);
    const isOver = attempt.kind === 'refused' || batch.ageMs > MAX_AGE_MINUTES * minuteMs;
    const { code, platform_says } = attempt.error;
    const details = { ...group, code, platform_says, notices: batch.count };
    if (isOver) {
      log.warn(details, 'failed to deliver notices to the chat of their owner; giving up');
      return queue.settle(group, batch, quietMs);
    }
    log.warn(details, 'failed to deliver notices to the chat of their owner; retrying');
    await queue.postpone(group, attempt.afterMs ?? backoffDelay(RETRY, batch.failures));
  }

  private async send(batch: NoticeBatch, chat: NoticeChat, signal: AbortSignal): Promise<Attempt> {
    const { platforms, publishers } = this;
    const carrier = platforms.noticeCarrier;
    const secret = await this.readSecret(chat);
    if (!carrier || !secret) return { kind: 'refused', error: withoutCredentials };
    const publisher = publishers.get(carrier.id);
    const key = batch.batch;
    const text = renderNotices(batch.texts, batch.count, chat.locale);
    const post = { text, entities: [], media: [], buttons: [], isAdvertisement: false };
    let address: Readonly<Record<string, string>> = { chat_id: chat.chatId };
    for (;;) {
      const channel = { id: key, address, settings: {} };
      const context = { credentials: secret, channel, results: {}, key, waits: {}, media: noMedia, signal };
      let moved: Extract<StepOutcome, { kind: 'moved' }> | null = null;
      for (const step of publisher.render(post, channel, {}).steps) {
        const outcome = await publisher.send(step, context);
        if (outcome.kind === 'done') continue;
        if (outcome.kind !== 'moved') return toAttempt(outcome);
        moved = outcome;
        break;
      }
      if (!moved) return { kind: 'delivered' };
      if (moved.address.chat_id === address.chat_id) return { kind: 'refused', error: withoutCredentials };
      address = moved.address;
    }
  }

  /** Reads the bot's token; null if it was erased or cannot be decrypted. */
  private async readSecret({ secretId }: NoticeChat): Promise<Secret | null> {
    const { vault, log } = this;
    try {
      return await vault.readSecret(secretId);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      log.error({ reason: error.message }, 'the bot token of a notice chat cannot be decrypted');
      return null;
    }
  }
}

/** A message that may have arrived is sent again: a duplicate is better than a lost notice. */
const toAttempt = (outcome: Exclude<StepOutcome, { kind: 'done' | 'moved' }>): Attempt => {
  const { error } = outcome;
  if (outcome.kind === 'retry') return { kind: 'retry', error, afterMs: outcome.afterMs };
  return outcome.kind === 'in_doubt' ? { kind: 'retry', error, afterMs: null } : { kind: 'refused', error };
};

const withoutCredentials = gatewayError('notice_chat_unusable', 'credentials', 'notice_chat_unusable');

const noMedia = (): Promise<PublishError> => Promise.resolve(withoutCredentials);
