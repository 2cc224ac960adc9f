import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec, UndecodableEvent } from '../../event-store/codec.js';
import { BEGINNING, EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import { isStoreOutage } from '../../event-store/store-outage.js';
import type { DomainEvent, RecordedEventOf } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ReadModelBehind } from '../../projections/engine/progress.js';
import { Backoff } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { withTimeLimit } from '../../runtime/time-limit.js';
import type { Reaction } from './follows-log.js';
import { SAGA_MESSAGES } from './messages.js';
import { SagaCheckpoint } from './saga-checkpoint.js';
import { Skips } from './skips.js';

/** Services shared by all sagas that follow the log. */
@Injectable()
export class EventSagaServices {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    readonly leases: Leases,
    readonly notifications: Notifications,
    @Inject(SETTINGS) readonly settings: Pick<Settings, 'reactionMs'>,
    @Inject(LOG) readonly log: Log,
  ) {}
}

class ReactionTooSlow extends Error {
  override readonly name = 'ReactionTooSlow';
}

const RETRY = { firstMs: 100, longestMs: 30_000 };
/** Maximum number of events per checkpoint: after a crash, all events since the checkpoint are repeated. */
const MAX_BATCH = 50;
/** Pause after events that the saga does not receive, in ms, so that the next read covers more of them. */
const UNREAD_PAUSE_MS = 100;
/** Maximum time, in ms, until a decision to skip an event is noticed if its notification was lost during a reaction. */
const SKIP_CHECK_MS = 15_000;

/**
 * Runs one saga over the log. Handles events at least once and in order, in one process at a time under a lease.
 * Survives every outage. Retries a failing event until it succeeds or an operator skips it; in the meantime, the
 * checkpoint shows its error. Releases the lease between attempts at an unreadable event, because a process with a
 * newer program may be able to read it (ADR-217).
 */
export class EventSaga<E extends DomainEvent> {
  private readonly key: string;
  private readonly checkpoint: SagaCheckpoint;
  private readonly skips: Skips;

  constructor(
    private readonly reaction: Reaction<E>,
    private readonly deps: EventSagaServices,
  ) {
    this.key = `saga/${reaction.name}`;
    this.checkpoint = new SagaCheckpoint(deps.pool, this.key);
    this.skips = new Skips(reaction.name, deps.store, deps.codec);
  }

  /** Runs until the signal is aborted; a running reaction receives the same signal. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.skips.listen(this.deps.notifications);
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        const lease = await this.deps.leases.acquire(this.key, signal);
        if (!lease) break;
        try {
          await this.follow(AbortSignal.any([signal, lease.lost]));
        } finally {
          await this.checkpoint.stop();
          await lease.release();
        }
        backoff.reset();
      } catch (error) {
        this.logInterruption(error);
        await this.skips.wait(backoff.nextDelay(performance.now() - startedAt), signal);
      }
    }
    stopListening();
  }

  private logInterruption(error: unknown): void {
    const { log } = this.deps;
    const detail = { saga: this.reaction.name, reason: reasonOf(error) };
    if (error instanceof UndecodableEvent) log.error(detail, 'saga stopped at an event that it cannot read; retrying');
    else log.warn(detail, 'saga interrupted; resuming');
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { checkpoint, deps, reaction } = this;
    const { types, startsAt } = reaction;
    const after = await checkpoint.load(startsAt === 'now' ? await deps.store.readHead() : BEGINNING);
    await this.skips.load(signal);
    for await (const batch of deps.store.subscribe({ after, types, signal, maxBatch: MAX_BATCH })) {
      // An import moves the checkpoint of a saga that does not act on the past (ADR-133).
      if (startsAt === 'now' && batch.events.length > 0) await checkpoint.requireUnmoved();
      for (const [i, stored] of batch.events.entries()) {
        const failed = await this.handle(stored, batch.events[i - 1], signal);
        if (signal.aborted) return;
        // Clears the recorded failure now, instead of at the end of the batch.
        if (failed) await checkpoint.moveTo(stored.position);
      }
      if (batch.events.length > 0) await checkpoint.moveTo(batch.position);
      else checkpoint.moveSoon(batch.position);
      if (batch.events.length === 0 && batch.isLive) await sleepUnlessAborted(UNREAD_PAUSE_MS, signal);
    }
  }

  /**
   * Retries an event until its reaction succeeds, an operator skips it, or the signal is aborted.
   * @param before the previous event in the batch: the checkpoint moves up to it if this event fails
   * @returns true if the event was skipped, or succeeded only after a failure
   * @throws the error of an event that cannot be read, after recording it at the checkpoint
   */
  private async handle(stored: StoredEvent, before: StoredEvent | undefined, signal: AbortSignal): Promise<boolean> {
    const backoff = new Backoff(RETRY);
    for (let tries = 0; !signal.aborted; tries++) {
      if (this.skips.has(stored.id)) {
        const { id: event, type, position } = stored;
        const detail = { saga: this.reaction.name, event, type, position: String(position) };
        this.deps.log.warn(detail, 'saga skipped an event, as an operator decided');
        return true;
      }
      try {
        await this.tryOnce(stored, signal);
        return tries > 0;
      } catch (error) {
        if (signal.aborted) break;
        await this.checkpoint.moveUpTo(before?.position);
        await this.recordFailure(stored, error);
        if (this.read(stored) === null) throw error;
        await this.skips.waitAndRead(backoff.nextDelay(), signal);
      }
    }
    return false;
  }

  /**
   * Attempts a reaction. At the time limit, aborts its signal and fails even if the reaction then resolves, because it
   * may have left work undone. Rejects only once the reaction has settled, so that attempts never overlap. Resolves
   * early if an operator skips the event.
   */
  private async tryOnce(stored: StoredEvent, signal: AbortSignal): Promise<void> {
    const event = this.deps.codec.decodeCached(stored) as RecordedEventOf<E>;
    const limit = new AbortController();
    const reacting = this.reaction.react(event, AbortSignal.any([signal, limit.signal]));
    const { reactionMs } = this.deps.settings;
    const tooSlow = new ReactionTooSlow(SAGA_MESSAGES.tooSlow({ seconds: reactionMs / 1_000 }));
    try {
      await withTimeLimit(reacting, reactionMs, () => tooSlow);
    } catch (error) {
      if (error !== tooSlow) throw error;
      limit.abort(tooSlow);
      if (!signal.aborted) await this.recordFailure(stored, tooSlow);
      if (await this.waitForEnd(reacting, stored, signal)) throw tooSlow;
    }
  }

  /** Waits until a reaction has settled. @returns false if an operator skipped the event first */
  private async waitForEnd(reacting: Promise<void>, { id }: StoredEvent, signal: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    const end = () => ended.abort();
    const ending = reacting.then(end, end);
    const waiting = AbortSignal.any([signal, ended.signal]);
    while (!waiting.aborted) {
      await this.skips.waitAndRead(SKIP_CHECK_MS, waiting);
      if (this.skips.has(id)) return false;
    }
    await ending;
    return true;
  }

  private async recordFailure(stored: StoredEvent, error: unknown): Promise<void> {
    const { log } = this.deps;
    const event = this.read(stored);
    const { id, type } = stored;
    const detail = { saga: this.reaction.name, event: id, type, request_id: event?.requestId };
    const reason = reasonOf(error);
    if (isStoreOutage(error)) log.debug({ ...detail, reason }, 'saga waits until the event store is available');
    else if (error instanceof ReadModelBehind) log.debug({ ...detail, reason }, 'saga waits for a read model');
    else if (event) log.error({ ...detail, err: error }, 'saga failed to handle an event; retrying');
    await this.checkpoint.recordFailure(stored, error, event?.at ?? null);
  }

  /** Decodes an event; null if it cannot be read. */
  private read(stored: StoredEvent): RecordedEventOf<E> | null {
    try {
      return this.deps.codec.decodeCached(stored) as RecordedEventOf<E>;
    } catch {
      return null;
    }
  }
}
