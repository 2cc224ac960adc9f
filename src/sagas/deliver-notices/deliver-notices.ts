import { Inject, Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { PlatformCatalogue, Publishers } from '../../platforms/platform-catalogue.js';
import type { PublishError, StepOutcome } from '../../platforms/publisher.js';
import { Leases } from '../../postgres/leases.js';
import { type NoticeChat, NoticeChats } from '../../projections/discovery/discovery.queries.js';
import { backoffDelay } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { type Secret, SecretVault, UnreadableSecret } from '../../secrets/vault.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { MAX_LISTED, type NoticeBatch, type NoticeGroup, NoticeQueue, renderNotices } from './notice-queue.js';

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

const withoutCredentials: PublishError = {
  code: 'notice_chat_unusable',
  category: 'credentials',
  source: 'gateway',
  message: 'notice_chat_unusable',
};

const noMedia = (): Promise<PublishError> => Promise.resolve(withoutCredentials);
