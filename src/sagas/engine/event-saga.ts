import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec, UndecodableEvent } from '../../event-store/codec.js';
import {
  type Batch,
  BEGINNING,
  EVENT_STORE,
  type EventStore,
  type Position,
  type StoredEvent,
} from '../../event-store/port.js';
import { ResourceOwners } from '../../event-store/resource-owners.js';
import type { DomainEvent, Origin, RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { type LaneEvent, ParkedEvents, ReactionAttempts, Skips } from './parked-events.js';
import { retryWhileUnavailable, runUnderLease } from './run-under-lease.js';
import { SagaCheckpoint } from './saga-checkpoint.js';
import { findLane, RETRY, SagaLanes } from './saga-lanes.js';

/** Services shared by all sagas that follow the log. */
@Injectable()
export class EventSagaServices {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    readonly leases: Leases,
    readonly notifications: Notifications,
    readonly owners: ResourceOwners,
    readonly progress: ProjectionProgress,
    @Inject(SETTINGS) readonly settings: Pick<Settings, 'reactionMs'>,
    @Inject(LOG) readonly log: Log,
  ) {}
}

/** Maximum number of events per checkpoint: after a crash, all events since the checkpoint are repeated. */
const MAX_BATCH = 50;
/** How long a batch waits for the read model that its reactions need, in ms; then each reaction waits on its own. */
const NEEDED_MS = 1_000;
/** Pause after events that the saga does not receive, in ms, so that the next read covers more of them. */
const UNREAD_PAUSE_MS = 100;

/**
 * Runs one saga over the log. Handles events at least once, and in order in each of its lanes ({@link SagaLanes}), in
 * one process at a time under a lease. Survives every outage. Retries a failing event until it succeeds or an operator
 * skips it; in the meantime, the checkpoint shows its error, and only the event's lane waits. An unreadable event stops
 * all lanes, because its lane is unknown; between attempts at it, the lease is released, because a process with a
 * newer program may be able to read it (ADR-217).
 */
export class EventSaga<E extends DomainEvent> {
  private readonly key: string;
  private readonly checkpoint: SagaCheckpoint;
  private readonly skips: Skips;
  private readonly attempts: ReactionAttempts<E>;
  private readonly parked: ParkedEvents;

  constructor(
    private readonly reaction: Reaction<E>,
    private readonly deps: EventSagaServices,
  ) {
    this.key = `saga/${reaction.name}`;
    this.checkpoint = new SagaCheckpoint(deps.pool, this.key);
    this.skips = new Skips(reaction.name, deps.store, deps.codec);
    this.attempts = new ReactionAttempts(reaction, deps, this.checkpoint, this.skips);
    this.parked = new ParkedEvents(deps.pool, deps.store, this.key);
  }

  /** Runs until the signal is aborted; a running reaction receives the same signal. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.skips.listen(this.deps.notifications);
    const work = {
      lease: this.key,
      retry: RETRY,
      failure: (error: unknown) => this.logInterruption(error),
      pause: (ms: number) => this.skips.wait(ms, signal),
      work: (held: AbortSignal) => this.follow(held).finally(() => this.checkpoint.stop()),
    };
    await runUnderLease(this.deps.leases, this.deps.log, work, signal);
    stopListening();
  }

  private logInterruption(error: unknown): void {
    const { log } = this.deps;
    const detail = { saga: this.reaction.name, reason: reasonOf(error) };
    if (error instanceof UndecodableEvent) log.error(detail, 'saga stopped at an event that it cannot read; retrying');
    else log.warn(detail, 'saga interrupted; resuming');
  }

  private async follow(held: AbortSignal): Promise<void> {
    const { checkpoint, skips, parked, deps, reaction } = this;
    const after = await checkpoint.load(reaction.startsAt === 'now' ? await deps.store.readHead() : BEGINNING);
    await skips.load(held);
    const attempt = (stored: StoredEvent, signal: AbortSignal) => this.attempts.attempt(stored, signal);
    const lanes = new SagaLanes({ attempt, parked, checkpoint, skips }, held);
    try {
      await lanes.resume();
      await this.read(after, lanes);
    } finally {
      await lanes.stop();
    }
  }

  private async read(after: Position, lanes: SagaLanes): Promise<void> {
    const { checkpoint, deps, reaction } = this;
    const { types, startsAt } = reaction;
    const { signal } = lanes;
    for await (const batch of deps.store.subscribe({ after, types, signal, maxBatch: MAX_BATCH })) {
      // An import moves the checkpoint of a saga that does not act on the past (ADR-133).
      if (startsAt === 'now' && batch.events.length > 0) await checkpoint.requireUnmoved();
      if (batch.events.length > 0) await this.handleBatch(batch, lanes);
      else checkpoint.moveSoon(batch.position);
      if (batch.events.length === 0 && batch.isLive) await sleepUnlessAborted(UNREAD_PAUSE_MS, signal);
    }
  }

  /** Handles a batch up to its end, or to an event that cannot be read. @throws the error of that event */
  private async handleBatch({ events, position, isLive }: Batch, lanes: SagaLanes): Promise<void> {
    const { attempts, skips, checkpoint } = this;
    await this.waitForNeeded(events.at(-1)!.position);
    const isHandled = (stored: StoredEvent): boolean => attempts.read(stored) !== null || skips.has(stored.id);
    const unreadable = events.findIndex((stored) => !isHandled(stored));
    const readable = unreadable === -1 ? events : events.slice(0, unreadable);
    const assigned = await Promise.all(readable.map((stored) => this.assignLane(stored, lanes.signal)));
    if (unreadable === -1) return lanes.handleBatch(assigned, position);
    const before = readable.at(-1)?.position;
    if (before === undefined) await checkpoint.moveUpTo(before);
    else await lanes.handleBatch(assigned, before);
    try {
      await attempts.attempt(events[unreadable]!, lanes.signal);
    } catch (error) {
      // The lanes continue only while the lease is held.
      await lanes.settle(this.deps.settings.reactionMs);
      throw error;
    }
    // An operator has skipped it in the meantime.
    return this.handleBatch({ events: events.slice(unreadable), position, isLive }, lanes);
  }

  /** Otherwise the lanes would wait for it, and their events be parked. */
  private async waitForNeeded(position: Position): Promise<void> {
    const { needs } = this.reaction;
    if (needs !== undefined) await this.deps.progress.waitFor([needs], position, NEEDED_MS);
  }

  private async assignLane(stored: StoredEvent, signal: AbortSignal): Promise<LaneEvent> {
    const event = this.attempts.read(stored);
    if (this.reaction.lanes === 'stream' || !event) return { stored, lane: stored.stream };
    const lane = await retryWhileUnavailable(() => findLane(this.deps.owners, event), signal);
    return { stored, lane };
  }
}

/** Returns the origin of events that a saga appends because of an event. */
export const causedBy = ({ id, requestId, correlationId }: RecordedEvent, saga: string): Origin => ({
  actor: `system:${saga}`,
  requestId,
  causationId: id,
  correlationId,
  clientAddress: null,
});

/** The part of the log that a saga follows. */
export interface FollowedLog<E extends DomainEvent = DomainEvent> {
  /** The saga's name in kebab-case; its lease and checkpoint are `saga/<name>`. */
  readonly name: string;
  /** Event types that the saga receives. */
  readonly types: readonly E['type'][];
  /** Where a saga without a checkpoint starts; `now` is the end of the log, for sagas that must not act on the past. */
  readonly startsAt: 'beginning' | 'now';
  /**
   * Which events are handled one after another: those that concern one owner, or those of one stream. Other events are
   * handled at the same time, so one owner's work, or a failing event, does not delay the rest (D-82).
   */
  readonly lanes: 'owner' | 'stream';
  /** The read model that must show an event before the saga can react to it, whatever the event's lane. */
  readonly needs?: string;
}

/** A saga that reacts to the events that it follows. */
export interface Reacting<E extends DomainEvent = DomainEvent> {
  /**
   * Handles one event before the saga receives the next of its lane. After a crash or a rejection, the event is delivered again, so
   * all effects must carry ids derived from the event.
   * @param signal aborted when the process stops or the time limit is reached; the reaction must then stop
   */
  react(event: RecordedEventOf<E>, signal: AbortSignal): Promise<void>;
}

/** A saga's reaction to the part of the log that it follows. */
export type Reaction<E extends DomainEvent = DomainEvent> = FollowedLog<E> & Reacting<E>;

/** A class that Nest creates a saga from. */
export type SagaClass<S = object> = abstract new (...args: never[]) => S;

const followed = new WeakMap<object, FollowedLog>();

/** Class decorator: declares which part of the log a saga follows, and makes the class injectable. */
export const FollowsLog =
  <E extends DomainEvent>(log: FollowedLog<E>) =>
  (saga: SagaClass<Reacting<E>>): void => {
    Injectable()(saga);
    followed.set(saga, log);
  };

/** Returns the part of the log that a class follows; null if it follows none. */
export const followedLogOf = (saga: object): FollowedLog | null => followed.get(saga) ?? null;
