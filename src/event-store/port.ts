/**
 * The event store, as the application sees it. Three adapters (`postgres`, `kurrentdb`, `memory`) pass one
 * contract suite, test/event-store/contract.ts. Adapters move text and know nothing of the domain: what `data` and
 * `metadata` mean is the codec's business.
 */
import type { TypeFilter } from './type-filter.js';

/** A place in the order of all events. Grows with every append; not dense on every store; may pass 2^53. */
export type Position = bigint;

/** Before the first event: subscribing after it sees everything. */
export const BEGINNING: Position = -1n;

/** One append holds at most 1 MiB (D-42: KurrentDB's default, kept on every store so that all behave alike). */
export const MAX_APPEND_BYTES = 1_048_576;

/** An event to append. `id` is a UUID; the same id at the same place is the same event. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
}

/** An event as it lies in the store. Revisions count from 0 in each stream. */
export interface StoredEvent extends NewEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
}

/** Where a stream has to stand for an append: at this revision, or not there at all. */
export type ExpectedRevision = bigint | 'noStream';

/**
 * What an append depends on outside the log, such as the settings that it was decided by: `subject` is to stand at
 * `version` still when the events are written. Only a store that lies in one database with what it is about can tell.
 */
export interface AppendCondition {
  readonly subject: string;
  readonly version: string;
}

/** Where an append has come to lie. */
export interface AppendResult {
  /** Revision of the last event appended. */
  readonly revision: bigint;
  /** Position of the last event appended. */
  readonly position: Position;
}

/** Which part of a stream is read. */
export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to read, inclusive. Default: the first event forwards, the last one backwards. */
  readonly from?: bigint;
  /** At most so many events, at least 1. Default: all. */
  readonly limit?: number;
}

/** Which part of the log is read. */
export interface ReadAllOptions extends TypeFilter {
  /** Exclusive; {@link BEGINNING} for all. */
  readonly after: Position;
  /** At most so many events, at least 1. */
  readonly limit: number;
}

/** Where a subscription begins, and what it hands out; batches move `position` past events that are not wanted. */
export interface SubscribeOptions extends TypeFilter {
  /** Exclusive: the checkpoint, i.e. the last position that was processed. */
  readonly after: Position;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
  /** At most so many events in a batch. Default 500. */
  readonly maxBatch?: number;
  /** Told of every drop before the subscription resumes by itself; for logs and metrics. */
  readonly onDrop?: (error: Error) => void;
}

/** A stretch of the log, in order. May be empty: then only `position` or `live` is news. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Everything up to here has been seen; what a checkpoint stores. */
  readonly position: Position;
  /** True once the subscriber has reached the end of the log as it stood. */
  readonly live: boolean;
}

/** A store of events: streams that are appended to, and the log of them all. */
export interface EventStore {
  /**
   * Appends all events or none. Re-appending the same ids at the same expected revision answers the first result.
   * @param condition of {@link PostgresEventStore} alone, where it was told how conditions are checked
   * @throws WrongExpectedRevision the stream has moved on (or is not there).
   * @throws ConditionFailed the condition does not hold, whatever the stream's revision is.
   * @throws AppendTooLarge over {@link MAX_APPEND_BYTES}.
   * @throws Unavailable the outcome is unknown or nothing happened: repeat the identical append.
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition?: AppendCondition | null,
  ): Promise<AppendResult>;

  /** Events of one stream in order; none where there is no such stream. @throws Unavailable */
  readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]>;

  /** A page of the whole log, in order. @throws Unavailable */
  readAll(options: ReadAllOptions): Promise<StoredEvent[]>;

  /** Position of the newest event, or {@link BEGINNING}. @throws Unavailable */
  head(): Promise<Position>;

  /**
   * Catches up from a checkpoint, then follows live, in order, without a skip or a repeat. Reconnects by itself with
   * backoff and never throws for an outage; it ends when the signal is aborted. Batches wait for a slow reader.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  /** Keeps only the newest `maxCount` (>= 1) events of a stream: older ones are no longer read. @throws Unavailable */
  setRetention(stream: string, maxCount: number): Promise<void>;

  /** Waits for what is in flight and lets go of every connection. */
  close(): Promise<void>;
}

/** The stream stands at `actual`, not where the append expected it. */
export class WrongExpectedRevision extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`${stream}: expected revision ${expected}, found ${actual}`);
    this.name = 'WrongExpectedRevision';
  }
}

/** What an append depends on has changed: nothing was written. */
export class ConditionFailed extends Error {
  constructor(readonly condition: AppendCondition) {
    super(`${condition.subject} does not stand at version ${condition.version} any more`);
    this.name = 'ConditionFailed';
  }
}

/** The store cannot be reached, or did not answer in time; the cause says why. */
export class Unavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Unavailable';
  }
}

/** An append of more than {@link MAX_APPEND_BYTES}. */
export class AppendTooLarge extends Error {
  constructor(
    readonly stream: string,
    readonly bytes: number,
  ) {
    super(`${stream}: an append of ${bytes} bytes; at most ${MAX_APPEND_BYTES}`);
    this.name = 'AppendTooLarge';
  }
}

/** Size of an append as the limit counts it. */
export const appendBytes = (events: readonly NewEvent[]): number =>
  events.reduce(
    (sum, event) => sum + Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata) + event.type.length + 36,
    0,
  );

/** What an append is at most, in bytes: a unit of UTF-16 is three at most of UTF-8. */
const mostBytes = (events: readonly NewEvent[]): number =>
  events.reduce((sum, { data, metadata, type }) => sum + 3 * (data.length + metadata.length + type.length) + 36, 0);

/** What is smaller for sure is not counted. */
const SMALL_BYTES = 65_536;

/**
 * What every adapter checks before it sends anything. Answers the append's size in bytes, as the limit counts it; of a
 * small one what it is at most.
 * @param unchecked a condition, of an adapter that cannot check it
 * @throws RangeError no events, or a stream or type that is empty or begins with `$`: such names belong to the store.
 * @throws AppendTooLarge
 */
export const checkAppend = (
  stream: string,
  events: readonly NewEvent[],
  unchecked: AppendCondition | null = null,
): number => {
  if (unchecked) throw new RangeError(`${stream}: this store cannot check the condition of an append`);
  if (events.length === 0) throw new RangeError(`${stream}: an append needs at least one event`);
  if (stream === '' || stream.startsWith('$')) throw new RangeError(`"${stream}" is no stream of ours`);
  const foreign = events.find(({ type }) => type === '' || type.startsWith('$'));
  if (foreign) throw new RangeError(`"${foreign.type}" is no event type of ours`);
  const most = mostBytes(events);
  if (most <= SMALL_BYTES) return most;
  const bytes = appendBytes(events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(stream, bytes);
  return bytes;
};

/** Injection token of the {@link EventStore}. */
export const EVENT_STORE = Symbol('EventStore');
