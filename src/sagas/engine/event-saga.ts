import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { EventCodec } from '../../event-store/codec.js';
import { BEGINNING, type EventStore, type Position } from '../../event-store/port.js';
import type { DomainEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Log } from '../../kernel/log.js';
import type { Leases } from '../../postgres/leases.js';
import { withoutDisk } from '../../postgres/pool.js';

/** What a saga does about events. */
export interface Reaction<E extends DomainEvent = DomainEvent> {
  /** Of the saga, kebab-case; its lease and checkpoint are `saga/<name>`. */
  readonly name: string;
  /** The events it is told of; all others pass it by. */
  readonly types: readonly E['type'][];
  /**
   * Where a saga begins that has no checkpoint yet: with the first event ever, or with what comes from now on, so that
   * one which is new in an old deployment does not act on the past.
   */
  readonly startsAt: 'beginning' | 'now';
  /**
   * Told of each event in order, the next one when this has resolved. An event may come again after a crash, so whatever
   * this does must carry ids that follow from the event. Rejecting has the same event come again after a while.
   */
  readonly react: (event: RecordedEventOf<E>, signal: AbortSignal) => Promise<void>;
}

/** What a saga works with. */
export interface EventSagaDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly log: Log;
}

/** Another process has moved the checkpoint. */
class Overtaken extends Error {}

const RETRY_MS = { first: 100, most: 30_000 };
/** An event is repeated after a crash together with those of its batch before it. */
const MAX_BATCH = 50;
/** How often the checkpoint follows where nothing concerns the saga, ms. */
const IDLE_CHECKPOINT_MS = 5_000;

/**
 * Drives one saga from the log: subscription, reaction, checkpoint. At least once and in order, in one process at a time
 * under a lease; it survives every outage, and an event that it cannot take holds it, visibly, until it can.
 */
export class EventSaga<E extends DomainEvent> {
  private readonly key: string;
  private savedAt = 0;

  constructor(
    private readonly reaction: Reaction<E>,
    private readonly on: EventSagaDependencies,
  ) {
    this.key = `saga/${reaction.name}`;
  }

  /** Runs until the signal, which a reaction under way is given as well. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.on;
    for (let wait = RETRY_MS.first; !signal.aborted; wait = Math.min(RETRY_MS.most, wait * 2)) {
      try {
        const lease = await leases.acquire(this.key, signal);
        if (!lease) return;
        try {
          await this.follow(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
        wait = RETRY_MS.first;
      } catch (error) {
        log.warn({ saga: this.reaction.name, error: String(error) }, 'saga interrupted; resuming');
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { store, codec, log } = this.on;
    const { name, types } = this.reaction;
    let saved = await this.checkpoint();
    const onDrop = (error: Error): void => log.warn({ saga: name, error: error.message }, 'subscription dropped');
    for await (const batch of store.subscribe({ after: saved, types, signal, maxBatch: MAX_BATCH, onDrop })) {
      for (const stored of batch.events) {
        await this.take(codec.decodeOnce(stored) as RecordedEventOf<E>, signal);
        if (signal.aborted) return;
      }
      const isIdle = batch.events.length === 0 && performance.now() < this.savedAt + IDLE_CHECKPOINT_MS;
      if (batch.position === saved || isIdle) continue;
      await this.save(saved, batch.position);
      saved = batch.position;
    }
  }

  /** Repeats a reaction until it is through, or the signal. */
  private async take(event: RecordedEventOf<E>, signal: AbortSignal): Promise<void> {
    for (let wait = RETRY_MS.first; !signal.aborted; wait = Math.min(RETRY_MS.most, wait * 2)) {
      try {
        return await this.reaction.react(event, signal);
      } catch (error) {
        if (signal.aborted) return;
        const { name } = this.reaction;
        const detail = { saga: name, event: event.id, type: event.type, error: String(error) };
        this.on.log.error(detail, 'saga could not take an event; trying again');
        await this.noteError(`${event.type} ${event.id}: ${String(error)}`);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async checkpoint(): Promise<Position> {
    const start = this.reaction.startsAt === 'now' ? await this.on.store.head() : BEGINNING;
    const { rows } = await this.on.pool.query<{ position: bigint }>(
      `with new as (
         insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
         on conflict do nothing returning position)
       select position from new union all select position from ops_checkpoint where name = $1 and version = 1`,
      [this.key, start],
    );
    this.savedAt = performance.now();
    return rows[0]!.position;
  }

  /** Moves the checkpoint from where this process believes it stands. @throws Overtaken where it does not */
  private async save(from: Position, to: Position): Promise<void> {
    const { rowCount } = await this.on.pool.query(
      `with moved as (
         update ops_checkpoint set position = $3, moved_at = now(), error = null
         where name = $1 and version = 1 and position = $2 returning 1)
       select ${withoutDisk} from moved`,
      [this.key, from, to],
    );
    if (rowCount !== 1) throw new Overtaken(`${this.key} is ahead of ${from}`);
    this.savedAt = performance.now();
  }

  private async noteError(error: string): Promise<void> {
    const text = 'update ops_checkpoint set error = $2 where name = $1 and version = 1';
    await this.on.pool.query(text, [this.key, error.slice(0, 2_000)]).catch(() => undefined);
  }
}
