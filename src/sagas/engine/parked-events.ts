import type { Pool } from 'pg';
import { sagaStream } from '../../domain/saga/saga.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import { type EventStore, isStoreOutage, type Position, type StoredEvent } from '../../event-store/port.js';
import { readSkippedIds } from '../../event-store/store-records.js';
import type { DomainEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import type { Notifications } from '../../postgres/notifications.js';
import { ReadModelBehind } from '../../projections/engine/progress.js';
import { Semaphore } from '../../runtime/semaphore.js';
import { sleepUnlessAborted, withTimeLimit } from '../../runtime/sleep.js';
import type { Reaction } from './event-saga.js';
import { SAGA_MESSAGES } from './messages.js';
import type { SagaCheckpoint } from './saga-checkpoint.js';

/** An event and the lane in which a saga handles it. */
export interface LaneEvent {
  readonly lane: string;
  readonly stored: StoredEvent;
}

/** Bounds of a page, so that lanes hold few events in memory. */
const PAGE = { events: 50, bytes: 1_048_576 };

/** Returns an event's size in memory, roughly in bytes. */
export const sizeOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

interface ParkedRow {
  readonly position: Position;
  readonly event_id: string;
  readonly stream: string;
  readonly revision: bigint;
}

/** The events below a saga's checkpoint that the saga has not handled yet; {@link SagaCheckpoint} adds them. */
export class ParkedEvents {
  /** @param key `saga/<name>` */
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly key: string,
  ) {}

  /** Lists the lanes that have parked events. */
  async listLanes(): Promise<readonly string[]> {
    const text = 'select distinct lane from ops_parked_event where saga = $1';
    const { rows } = await this.pool.query<{ lane: string }>(text, [this.key]);
    return rows.map(({ lane }) => lane);
  }

  /**
   * Reads a lane's next events, in order; none if the lane has no parked events. Removes events that the log no longer
   * contains.
   * @throws Unavailable
   */
  async readPage(lane: string): Promise<StoredEvent[]> {
    for (;;) {
      const { rows } = await this.pool.query<ParkedRow>(
        `select position, event_id, stream, revision from (
           select *, sum(bytes) over (order by position) - bytes as bytes_before from (
             select * from ops_parked_event where saga = $1 and lane = $2 order by position limit $3) first) page
         where bytes_before < $4 order by position`,
        [this.key, lane, PAGE.events, PAGE.bytes],
      );
      const found = await Promise.all(rows.map((row) => this.readEvent(row)));
      await this.remove(rows.filter((_, i) => !found[i]).map(({ position }) => position));
      const events = found.filter((event) => event !== null);
      if (events.length > 0 || rows.length === 0) return events;
    }
  }

  /** Removes handled events. */
  async remove(positions: readonly Position[]): Promise<void> {
    if (positions.length === 0) return;
    const text = 'delete from ops_parked_event where saga = $1 and position = any($2)';
    await this.pool.query(text, [this.key, positions]);
  }

  /** Returns null if the event was deleted, or the store's log has been replaced. */
  private async readEvent({ stream, revision, event_id }: ParkedRow): Promise<StoredEvent | null> {
    const [event] = await this.store.readStream(stream, { from: revision, limit: 1 });
    return event?.id === event_id ? event : null;
  }
}

class ReactionTooSlow extends Error {
  override readonly name = 'ReactionTooSlow';
}

/** Maximum time, in ms, until a decision to skip an event is noticed if its notification was lost during a reaction. */
const SKIP_CHECK_MS = 15_000;
/** Maximum number of reactions of a saga that run at a time; lanes take turns. */
const REACTIONS = 16;

/** Attempts a saga's reactions, and records at its checkpoint which of them fail. */
export class ReactionAttempts<E extends DomainEvent> {
  private readonly slots = new Semaphore(REACTIONS);

  constructor(
    private readonly reaction: Reaction<E>,
    private readonly deps: {
      readonly codec: EventCodec;
      readonly settings: { readonly reactionMs: number };
      readonly log: Log;
    },
    private readonly checkpoint: SagaCheckpoint,
    private readonly skips: Skips,
  ) {}

  /**
   * Attempts a reaction once, unless an operator has skipped the event. Records a failure.
   * @returns false if it failed, or the signal was aborted
   * @throws the error of an event that cannot be read, after recording it
   */
  async attempt(stored: StoredEvent, signal: AbortSignal): Promise<boolean> {
    try {
      if (this.skips.has(stored.id)) this.logSkip(stored);
      else await this.tryOnce(stored, signal);
    } catch (error) {
      if (signal.aborted) return false;
      await this.recordFailure(stored, error);
      if (this.read(stored) === null) throw error;
      return false;
    }
    if (signal.aborted) return false;
    await this.checkpoint.clearFailure(stored.id);
    return true;
  }

  /** Decodes an event; null if it cannot be read. */
  read(stored: StoredEvent): RecordedEventOf<E> | null {
    try {
      return this.deps.codec.decodeCached(stored) as RecordedEventOf<E>;
    } catch {
      return null;
    }
  }

  /**
   * Attempts a reaction. At the time limit, aborts its signal and fails even if the reaction then resolves, because it
   * may have left work undone. Rejects only once the reaction has settled, so that attempts never overlap. Resolves
   * early if an operator skips the event.
   */
  private async tryOnce(stored: StoredEvent, signal: AbortSignal): Promise<void> {
    const event = this.deps.codec.decodeCached(stored) as RecordedEventOf<E>;
    const release = await this.slots.acquire(signal);
    // A listener, because AbortSignal.any costs more than most reactions.
    const stopped = new AbortController();
    const stop = () => stopped.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const reacting = this.reaction.react(event, stopped.signal);
    const { reactionMs } = this.deps.settings;
    const createError = () => new ReactionTooSlow(SAGA_MESSAGES.tooSlow({ seconds: reactionMs / 1_000 }));
    try {
      await withTimeLimit(reacting, reactionMs, createError).finally(release);
    } catch (error) {
      if (!(error instanceof ReactionTooSlow)) throw error;
      stopped.abort(error);
      if (!signal.aborted) await this.recordFailure(stored, error);
      if (await this.waitForEnd(reacting, stored, signal)) throw error;
      this.logSkip(stored);
    } finally {
      signal.removeEventListener('abort', stop);
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

  private logSkip({ id: event, type, position }: StoredEvent): void {
    const detail = { saga: this.reaction.name, event, type, position: String(position) };
    this.deps.log.warn(detail, 'saga skipped an event, as an operator decided');
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
}

/** Reads the ids of the events that operators have skipped for a saga. @throws Unavailable */
export const readSkippedEvents = (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  name: string,
): Promise<ReadonlySet<string>> => readSkippedIds(store, codec, { stream: sagaStream(name), type: 'SagaEventSkipped' });

/** Delay, in ms, between two attempts to read the decisions while the event store is unavailable. */
const RETRY_MS = 1_000;

/** The events of a saga that operators have decided to skip. Notifications announce new decisions. */
export class Skips {
  private ids: ReadonlySet<string> = new Set();
  private changed = new AbortController();

  constructor(
    private readonly saga: string,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /** Subscribes to notifications. Returns a function that unsubscribes. */
  listen(notifications: Notifications): () => void {
    return notifications.subscribe('saga', (name) => {
      if (name === this.saga) this.changed.abort();
    });
  }

  has(eventId: string): boolean {
    return this.ids.has(eventId);
  }

  /** Reads the decisions, retrying until the event store responds or the signal is aborted. */
  async load(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await this.read();
      } catch (error) {
        if (!isStoreOutage(error)) throw error;
        await sleepUnlessAborted(RETRY_MS, signal);
      }
    }
  }

  /**
   * Waits for the given time, or until a decision is announced. An announcement since the last wait ends this wait
   * at once.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await sleepUnlessAborted(ms, AbortSignal.any([signal, this.changed.signal]));
    if (this.changed.signal.aborted) this.changed = new AbortController();
  }

  /** Waits like {@link wait}, and reads the decisions. During an outage, keeps the known decisions. */
  async waitAndRead(ms: number, signal: AbortSignal): Promise<void> {
    await this.wait(ms, signal);
    if (signal.aborted) return;
    await this.read().catch((error: unknown) => {
      if (!isStoreOutage(error)) throw error;
    });
  }

  private async read(): Promise<void> {
    this.ids = await readSkippedEvents(this.store, this.codec, this.saga);
  }
}
