import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Decider, type DomainEvent, ownerOfOrigin, type RecordedEvent, streamOf } from '../kernel/events.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { Backoff, conflictDelay } from '../runtime/backoff.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { KeyedSemaphore } from '../runtime/semaphore.js';
import { AggregateReader, emptyAggregate, type LoadedAggregate, type ReadAggregate } from './aggregate-reader.js';
import { type CommandContext, deriveEventId, EventCodec } from './codec.js';
import {
  type AppendCondition,
  type AppendResult,
  EVENT_STORE,
  type EventStore,
  isStoreOutage,
  type NewEvent,
  NotAppended,
  type Position,
  type StreamAppend,
  WrongExpectedRevision,
} from './port.js';
import { type Naming, ResourceOwners } from './resource-owners.js';
import { isBeyondLimit, rejectMissingScope } from './rights.js';
import { type Snapshots, SnapshotTable } from './snapshots.js';

export { emptyAggregate, type LoadedAggregate } from './aggregate-reader.js';

/** Result of a command: the events written (none if nothing changed) and the aggregate after them. */
export interface DecisionResult<S, E extends DomainEvent> {
  readonly events: readonly E[];
  /** Contains the position that a reader must reach to see all of these events. */
  readonly aggregate: LoadedAggregate<S>;
}

/** Called after each append with its start time (`performance.now()`, in ms) and the error if it failed. */
export type AppendTimer = (startedAt: number, error?: unknown) => void;

/** Injection token for the {@link AppendTimer}. */
export const APPEND_TIMER = Symbol('AppendTimer');

/**
 * Decides a command. If the aggregate belongs to another owner before or after an owner's command, or to an endpoint
 * that a limited key may not use, the command is rejected as if the aggregate did not exist (D-93).
 */
const decideWithinOwner = <C, S, E extends DomainEvent, R extends string>(
  decider: Decider<C, S, E, R>,
  id: string,
  command: C,
  state: S,
  context: CommandContext,
): readonly E[] | Rejection<R> => {
  const caller = ownerOfOrigin(context);
  const { rights } = context;
  const missing = rights && rejectMissingScope(rights, decider.scopeOf?.(command) ?? 'manage');
  if (missing) return missing as unknown as Rejection<R>;
  if (caller === null || !decider.ownerOf) return decider.decide(command, state);
  const isForeign = (each: S): boolean =>
    (decider.ownerOf!(each, id) ?? caller) !== caller || isBeyondLimit(rights, decider.endpointOf?.(each, id) ?? null);
  // Every decider with `ownerOf` includes this rejection code.
  const notFound = () =>
    reject('not_found', RESOURCE_MESSAGES.notFound({ what: decider.category })) as unknown as Rejection<R>;
  if (isForeign(state)) return notFound();
  const events = decider.decide(command, state);
  if (isRejection(events)) return events;
  const after = events.reduce((folded, event) => decider.evolve(folded, event), state);
  return isForeign(after) ? notFound() : events;
};

const MAX_CONFLICTS = 50;
/** How long to keep retrying an append whose outcome is unknown, in ms. */
const REPEAT_FOR_MS = 5_000;
const APPEND_RETRY = { firstMs: 50, longestMs: 1_000 };

/** True for an outage that may be over within seconds. */
const mayRepeat = (error: unknown): boolean => isStoreOutage(error) && !(error instanceof NotAppended);

/**
 * Executes commands on aggregates: loads the stream, folds it, decides, and appends at the expected revision. After a
 * conflict, it retries; conflicting commands of this process on the same stream then run one at a time.
 */
@Injectable()
export class AggregateStore {
  private readonly conflictLocks = new KeyedSemaphore(1);
  private readonly reader: AggregateReader;

  /** @param snapshots null to read all streams from their start */
  constructor(
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    @Inject(APPEND_TIMER) private readonly reportAppend: AppendTimer = () => undefined,
    @Inject(SnapshotTable) snapshots: Snapshots | null = null,
    private readonly owners: ResourceOwners = new ResourceOwners(store),
  ) {
    this.reader = new AggregateReader(store, codec, snapshots);
  }

  /**
   * Folds an aggregate's stream.
   * @param known result of an earlier call: only later events are read
   * @throws Unavailable
   */
  async loadAggregate<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    id: string,
    known: LoadedAggregate<S> = emptyAggregate(decider),
  ): Promise<LoadedAggregate<S>> {
    const stream = streamOf(decider, id);
    if (known.revision < 0n) return this.reader.foldAndSave(decider, stream, await this.reader.read(decider, stream));
    return this.reader.fold(decider, await this.store.readStream(stream, { from: known.revision + 1n }), known);
  }

  /** Folds an aggregate's stream up to a revision. @throws Unavailable */
  async loadAggregateAt<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    id: string,
    revision: bigint,
  ): Promise<LoadedAggregate<S>> {
    const { before, stored } = await this.reader.readUpTo(decider, id, revision);
    return this.reader.fold(decider, stored, before);
  }

  /** Reads an aggregate's whole stream. @throws Unavailable */
  async readEvents<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    id: string,
  ): Promise<RecordedEvent<E>[]> {
    return (await this.store.readStream(streamOf(decider, id))).map((event) => this.codec.decode<E>(event));
  }

  /** Returns a stream's newest event, decoded; null if there is none. @throws Unavailable */
  async readLastEvent<E extends DomainEvent>(stream: string): Promise<RecordedEvent<E> | null> {
    const [event] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    return event ? this.codec.decode<E>(event) : null;
  }

  /**
   * Executes one command. If the command id has already written events, the command is not executed again and the
   * earlier result is returned, so a command that is delivered twice takes effect once. With a {@link Decider.memory}
   * or snapshots, a repeated command is recognised only if its events are among the newest (500 with snapshots).
   * @param known the aggregate, if the caller already has it, which saves a read: {@link emptyAggregate} if the stream
   * probably does not exist, or the result of an earlier command. If it is out of date, the append conflicts and the
   * stream is read.
   * @throws WrongExpectedRevision after fifty conflicts
   * @throws Unavailable if the store cannot be read, refuses the append, or was unavailable for several seconds; the
   * command may be retried with the same id
   */
  async execute<C, S, E extends DomainEvent, R extends string>(
    decider: Decider<C, S, E, R>,
    id: string,
    command: C,
    context: CommandContext,
    known?: LoadedAggregate<S>,
  ): Promise<DecisionResult<S, E> | Rejection<R>> {
    const stream = streamOf(decider, id);
    let releaseLock: (() => void) | null = null;
    try {
      for (let conflicts = 0; ; known = undefined, conflicts++) {
        const read = known ? null : await this.reader.read(decider, stream);
        const earlier = read && this.findEarlierResult(decider, stream, read, context.commandId);
        if (earlier) return earlier;
        const loaded = known ?? this.reader.foldAndSave(decider, stream, read!);
        const events = decideWithinOwner(decider, id, command, loaded.state, context);
        if (isRejection(events)) {
          if (!known) return events;
        } else if (events.length === 0) {
          if (!known) return { events, aggregate: loaded };
        } else {
          const owner = context.contentOwner ?? decider.ownerOf?.(loaded.state, id);
          const by = typeof owner === 'string' ? { ...context, contentOwner: owner } : context;
          const encoded = await this.encodeEvents(stream, events, loaded, by);
          try {
            const { revision, position } = await this.appendWithRetry(stream, loaded.revision, encoded.events);
            const state = events.reduce((folded, event) => decider.evolve(folded, event), loaded.state);
            return { events, aggregate: { state, revision, position, hash: encoded.hash } };
          } catch (error) {
            if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
            releaseLock ??= await this.conflictLocks.acquire(stream);
            if (conflicts > 2) await sleep(conflictDelay(conflicts));
          }
        }
      }
    } finally {
      releaseLock?.();
    }
  }

  /** Returns the result of an earlier execution of the same command; null if there was none. */
  private findEarlierResult<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    stream: string,
    { before, stored }: ReadAggregate<S>,
    commandId: string,
  ): DecisionResult<S, E> | null {
    const firstId = deriveEventId(commandId, stream, 0);
    const first = stored.findIndex(({ id }) => id === firstId);
    if (first < 0) return null;
    let end = first + 1;
    while (stored[end]?.id === deriveEventId(commandId, stream, end - first)) end += 1;
    const events = stored.slice(first, end).map((event) => {
      const { type, data } = this.codec.decode<E>(event);
      return { type, data } as unknown as E;
    });
    return { events, aggregate: this.reader.fold(decider, stored.slice(0, end), before) };
  }

  /**
   * Encodes the events that follow an aggregate. Also returns the hash that the next event is chained to.
   * @throws Unavailable
   */
  async encodeEvents(
    stream: string,
    events: readonly DomainEvent[],
    after: Omit<LoadedAggregate<unknown>, 'state'>,
    context: CommandContext,
  ): Promise<{ readonly events: NewEvent[]; readonly hash: string }> {
    const { keys } = this.codec;
    const needsKey = keys !== null && this.codec.hasContent(events, context);
    const key = needsKey ? await keys.obtain(await this.findContentOwner(events, context), context.at) : null;
    let { hash } = after;
    const encoded = events.map((event, i) => {
      const location = { stream, revision: after.revision + BigInt(i + 1), previousHash: hash };
      const { event: encodedEvent, hash: eventHash } = this.codec.encode(event, i, location, context, key);
      hash = eventHash;
      return encodedEvent;
    });
    return { events: encoded, hash };
  }

  /** Returns the owner of the events' content; empty if they belong to none. @throws Unavailable */
  private async findContentOwner(events: readonly DomainEvent[], { contentOwner }: CommandContext): Promise<string> {
    if (contentOwner !== undefined) return contentOwner;
    // The events of one append belong to one aggregate.
    return (await this.owners.findOwner(events[0]!.data as Naming)) ?? '';
  }

  /**
   * Appends, and repeats the identical append while its outcome is unknown.
   * @throws ConditionFailed, WrongExpectedRevision, NotAppended, StorageFailed at once
   * @throws Unavailable after several seconds
   */
  appendWithRetry(
    stream: string,
    revision: bigint,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ): Promise<AppendResult> {
    const expected = revision < 0n ? ('noStream' as const) : revision;
    return this.repeatAppend(() => this.store.append(stream, expected, events, condition));
  }

  /**
   * Appends to several streams atomically, and repeats the identical append while its outcome is unknown.
   * @throws RangeError if the store cannot append to several streams at once; other errors like {@link appendWithRetry}
   */
  appendTogetherWithRetry(appends: readonly StreamAppend[]): Promise<Position> {
    const { store } = this;
    if (!store.appendTogether) throw new RangeError('this store cannot append to several streams together');
    return this.repeatAppend(() => store.appendTogether!(appends));
  }

  private async repeatAppend<R>(append: () => Promise<R>): Promise<R> {
    const giveUpAt = performance.now() + REPEAT_FOR_MS;
    const backoff = new Backoff(APPEND_RETRY);
    for (;;) {
      const startedAt = performance.now();
      try {
        const result = await append();
        this.reportAppend(startedAt);
        return result;
      } catch (error) {
        this.reportAppend(startedAt, error);
        const delay = backoff.nextDelay();
        if (!mayRepeat(error) || performance.now() + delay > giveUpAt) throw error;
        await sleep(delay);
      }
    }
  }
}

const MAX_AGGREGATES = 10_000;

/**
 * Caches aggregates that are read often and change rarely. Every load still reads newer events from the store, so the
 * result is never stale; the cache only avoids folding the older events again.
 */
export class AggregateCache<S> {
  private readonly known = new BoundedCache<LoadedAggregate<S>>(MAX_AGGREGATES);

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly decider: Decider<never, S, DomainEvent, string>,
  ) {}

  /** Returns the current aggregate. @throws Unavailable */
  async loadLatest(id: string): Promise<LoadedAggregate<S>> {
    const loaded = await this.aggregates.loadAggregate(this.decider, id, this.known.get(id));
    if (loaded.revision > (this.known.get(id)?.revision ?? -2n)) this.known.set(id, loaded);
    return loaded;
  }
}
