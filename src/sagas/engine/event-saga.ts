import type { Pool } from 'pg';
import { type EventCodec, UndecodableEvent } from '../../event-store/codec.js';
import { BEGINNING, type EventStore, type Position, type StoredEvent } from '../../event-store/port.js';
import { isStoreOutage } from '../../event-store/store-outage.js';
import type { DomainEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Log } from '../../kernel/log.js';
import type { Leases } from '../../postgres/leases.js';
import { withoutSyncCommit } from '../../postgres/pool.js';
import { ReadModelBehind } from '../../projections/engine/progress.js';
import { Backoff } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** A saga's reaction to events. */
export interface Reaction<E extends DomainEvent = DomainEvent> {
  /** The saga's name in kebab-case; its lease and checkpoint are `saga/<name>`. */
  readonly name: string;
  /** Types of the events that the saga receives. */
  readonly types: readonly E['type'][];
  /**
   * Start of a saga without a checkpoint: at the first event ever, or at the present end of the log, so that a saga which
   * is new in an old deployment does not act on the past.
   */
  readonly startsAt: 'beginning' | 'now';
  /**
   * Handles each event in order; the next one follows when this has resolved. An event may be delivered again after a
   * crash, so all effects must carry ids derived from the event. If this rejects, the event is retried after a delay.
   */
  readonly react: (event: RecordedEventOf<E>, signal: AbortSignal) => Promise<void>;
}

/** Dependencies of {@link EventSaga}. */
export interface EventSagaDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly log: Log;
}

/** Thrown if another process has moved the checkpoint. */
class CheckpointConflict extends Error {}

const RETRY = { firstMs: 100, longestMs: 30_000 };
/** Maximum number of events per checkpoint: after a crash all events since the checkpoint are repeated. */
const MAX_BATCH = 50;
/** Interval in ms at which the checkpoint advances while there are no events for the saga. */
const IDLE_CHECKPOINT_MS = 5_000;
/** Pause in ms after events that the saga does not receive: the next read of the log covers more of them. */
const UNREAD_PAUSE_MS = 100;

/**
 * Runs one saga over the log: subscription, reaction, checkpoint. Events are handled at least once and in order, in one
 * process at a time under a lease. The saga survives every outage. An event that fails is retried until it succeeds; its
 * error is shown at the checkpoint meanwhile. So is that of an event that cannot be read, but the lease is released between
 * the tries: a process with a newer program may be able to read it.
 */
export class EventSaga<E extends DomainEvent> {
  private readonly key: string;
  private savedAt = 0;

  constructor(
    private readonly reaction: Reaction<E>,
    private readonly deps: EventSagaDependencies,
  ) {
    this.key = `saga/${reaction.name}`;
  }

  /** Runs until the signal is aborted; a reaction under way receives the same signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.deps;
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        const lease = await leases.acquire(this.key, signal);
        if (!lease) return;
        try {
          await this.follow(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
        backoff.reset();
      } catch (error) {
        const detail = { saga: this.reaction.name, error: String(error) };
        if (error instanceof UndecodableEvent)
          log.error(detail, 'saga stopped at an event that it cannot read; retrying');
        else log.warn(detail, 'saga interrupted; resuming');
        await backoff.wait(signal, performance.now() - startedAt);
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { store } = this.deps;
    const { types } = this.reaction;
    let saved = await this.loadCheckpoint();
    for await (const batch of store.subscribe({ after: saved, types, signal, maxBatch: MAX_BATCH })) {
      // An import moves the start of a saga that does not act on the past (ADR-133).
      if (this.reaction.startsAt === 'now' && batch.events.length > 0) await this.checkPosition(saved);
      for (const stored of batch.events) {
        await this.handle(await this.decode(stored), signal);
        if (signal.aborted) return;
      }
      const isIdle = batch.events.length === 0 && performance.now() < this.savedAt + IDLE_CHECKPOINT_MS;
      if (batch.position !== saved && !isIdle) {
        await this.saveCheckpoint(saved, batch.position);
        saved = batch.position;
      }
      if (batch.events.length === 0 && batch.isLive) await sleepUnlessAborted(UNREAD_PAUSE_MS, signal);
    }
  }

  /** Decodes an event. @throws UndecodableEvent its error is recorded at the checkpoint */
  private async decode(stored: StoredEvent): Promise<RecordedEventOf<E>> {
    try {
      return this.deps.codec.decodeCached(stored) as RecordedEventOf<E>;
    } catch (error) {
      await this.recordError(stored, error);
      throw error;
    }
  }

  /** Retries a reaction until it succeeds or the signal is aborted. */
  private async handle(event: RecordedEventOf<E>, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      try {
        return await this.reaction.react(event, signal);
      } catch (error) {
        if (signal.aborted) return;
        const { name } = this.reaction;
        const { id, type, requestId: request_id } = event;
        const detail = { saga: name, event: id, type, request_id, error: String(error) };
        const { log } = this.deps;
        if (isStoreOutage(error)) log.debug(detail, 'saga waits until the event store is available');
        else if (error instanceof ReadModelBehind) log.debug(detail, 'saga waits for a read model');
        else log.error(detail, 'saga failed to handle an event; retrying');
        await this.recordError(event, error);
        await backoff.wait(signal);
      }
    }
  }

  private async loadCheckpoint(): Promise<Position> {
    const start = this.reaction.startsAt === 'now' ? await this.deps.store.readHead() : BEGINNING;
    const { rows } = await this.deps.pool.query<{ position: bigint }>(
      `with new as (
         insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
         on conflict do nothing returning position)
       select position from new union all select position from ops_checkpoint where name = $1 and version = 1`,
      [this.key, start],
    );
    this.savedAt = performance.now();
    return rows[0]!.position;
  }

  /** @throws CheckpointConflict the checkpoint is no longer where this process knows it to be */
  private async checkPosition(saved: Position): Promise<void> {
    const text = 'select 1 from ops_checkpoint where name = $1 and version = 1 and position = $2';
    const { rowCount } = await this.deps.pool.query(text, [this.key, saved]);
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is not at ${saved}`);
  }

  /** Moves the checkpoint from its position as this process knows it. @throws CheckpointConflict if it has moved */
  private async saveCheckpoint(from: Position, to: Position): Promise<void> {
    const { rowCount } = await this.deps.pool.query(
      `with moved as (
         update ops_checkpoint set position = $3, moved_at = now(), error = null
         where name = $1 and version = 1 and position = $2 returning 1)
       select ${withoutSyncCommit} from moved`,
      [this.key, from, to],
    );
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is ahead of ${from}`);
    this.savedAt = performance.now();
  }

  private async recordError({ type, id }: Pick<StoredEvent, 'type' | 'id'>, error: unknown): Promise<void> {
    const text = 'update ops_checkpoint set error = $2 where name = $1 and version = 1';
    await this.deps.pool
      .query(text, [this.key, `${type} ${id}: ${String(error)}`.slice(0, 2_000)])
      .catch(() => undefined);
  }
}
