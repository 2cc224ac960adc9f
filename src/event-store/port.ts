import type { Instant } from '../kernel/clock.js';
import type { Json } from '../kernel/ids.js';

/**
 * Size at which a page or a batch of events ends, in bytes: the event that reaches it is the last. With a bound on their
 * number only, 500 events could hold half a gigabyte.
 */
export const MAX_PAGE_BYTES = 2 * 1_048_576;

type Sized = Pick<NewEvent, 'data' | 'metadata'>;

/** Returns an event's size in bytes, as pages count it. */
export const countBytes = ({ data, metadata }: Sized): number => Buffer.byteLength(data) + Buffer.byteLength(metadata);

/** Returns the first events, up to a number and to {@link MAX_PAGE_BYTES}. */
export const takePage = <E extends Sized>(events: readonly E[], limit: number): E[] => {
  let bytes = 0;
  const last = events.findIndex((event, i) => i + 1 >= limit || (bytes += countBytes(event)) >= MAX_PAGE_BYTES);
  return last < 0 ? [...events] : events.slice(0, last + 1);
};

/** True if a page has reached one of its bounds, so that more events may follow. */
export const isFullPage = (page: readonly Sized[], limit: number): boolean =>
  page.length >= limit || page.reduce((bytes, event) => bytes + countBytes(event), 0) >= MAX_PAGE_BYTES;

/**
 * Port of the event store. Three adapters (`postgres`, `kurrentdb`, `memory`) pass one contract suite,
 * test/event-store/contract.ts. Adapters transport text and do not know the domain: only the codec knows what `data`
 * and `metadata` mean.
 */

/** Position in the log. Positions grow with every append, may have gaps on some stores, and may exceed 2^53. */
export type Position = bigint;

/** Position before the first event: a subscription that starts here receives everything. */
export const BEGINNING: Position = -1n;

/** Maximum size of an append, in bytes: KurrentDB's default, applied to every store so all behave the same (D-42). */
export const MAX_APPEND_BYTES = 1_048_576;

/** Maximum size of an append to several streams, in bytes. */
export const MAX_TOGETHER_BYTES = 8 * 1_048_576;

/** An event to append. `id` is a UUID; the same id at the same revision is the same event. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string;
  /** True if `data` and `metadata` are known to be in `JSON.stringify` form, so that adapters need not check. */
  readonly isCanonical?: true;
}

/** An event in the store. Revisions count from 0 in each stream. */
export interface StoredEvent extends Omit<NewEvent, 'isCanonical'> {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
}

/** State of a stream that an append requires: its last revision, or `noStream` if it must not exist. */
export type ExpectedRevision = bigint | 'noStream';

/**
 * Makes an append conditional on data outside the log, such as the settings that the decision used: `subject` must
 * still have `version` when the events are written. Only a store in the subject's database can check it.
 */
export interface AppendCondition {
  readonly subject: string;
  readonly version: string;
}

/** An append to one stream. */
export interface StreamAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

/** Revision and position of the last event of an append. */
export interface AppendResult {
  readonly revision: bigint;
  readonly position: Position;
}

/** Selects a part of a stream. */
export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to read. Default: the first event when reading forwards, the last when reading backwards. */
  readonly from?: bigint;
  /** Maximum number of events to return, at least 1. Default: all. */
  readonly limit?: number;
}

/** Selects a part of the log. */
export interface ReadAllOptions extends TypeFilter {
  /** Exclusive; {@link BEGINNING} for all events. */
  readonly after: Position;
  /** Maximum number of events to return, at least 1. A page also ends at 2 MiB: `isFullPage` tells if more may follow. */
  readonly limit: number;
}

/** Start and filter of a subscription. Its batches also advance `position` past events that the filter excludes. */
export interface SubscribeOptions extends TypeFilter {
  /** Exclusive: the checkpoint, which is the last processed position. */
  readonly after: Position;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
  /** Maximum number of events in a batch, which also ends at 2 MiB (`MAX_PAGE_BYTES`). Default 500. */
  readonly maxBatch?: number;
  /** Called on every drop, before the subscription resumes automatically; for logs and metrics. */
  readonly onDrop?: (error: Error) => void;
}

/** A range of the log, in order. If it is empty, only `position` or `isLive` has changed. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Position up to which everything was received; the checkpoint to store. */
  readonly position: Position;
  /** True once the subscriber has caught up with the end of the log. */
  readonly isLive: boolean;
}

/** Identity and extent of a store. */
export interface StoreIdentity {
  /** UUID that the store received when a gateway first used it; null if no gateway has used the store yet. */
  readonly id: string | null;
  /** Position at which the log ends, at or after every subscriber's checkpoint. Deleted and system events count. */
  readonly end: Position;
}

/** Notes that a store keeps alongside its events. They are not visible in the log, but backups include them. */
export interface StoreNotes {
  /** Returns a note; null if there is none. @throws Unavailable */
  readNote(name: string): Promise<Json | null>;
  /** Replaces a note. It is durable once this resolves. @throws Unavailable */
  writeNote(name: string, note: Json): Promise<void>;
}

/** A store of events: streams, and the log of all their events. */
export interface EventStore {
  /**
   * Appends all events or none. Repeating an append with the same ids and expected revision returns the first result.
   * @param condition only for a {@link PostgresEventStore} that has a function to check conditions
   * @throws WrongExpectedRevision if the stream is not at the expected revision
   * @throws ConditionFailed if the condition does not hold, whatever the stream's revision is
   * @throws AppendTooLarge if the append exceeds {@link MAX_APPEND_BYTES}
   * @throws StreamDeleted if the stream was deleted, and the store does not allow it to start again
   * @throws NotAppended, StorageFailed if nothing was written and an immediate retry would be useless
   * @throws Unavailable if nothing was written, or the outcome is unknown: repeat the identical append
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition?: AppendCondition | null,
  ): Promise<AppendResult>;

  /**
   * Appends to several streams atomically, in this order and with nothing in between. Each stream may be listed at most
   * once. Repeating the call with the same ids returns the first result. Null if the store does not support it.
   * @throws WrongExpectedRevision if one of the streams has another revision
   * @throws AppendTooLarge if one of the appends exceeds {@link MAX_APPEND_BYTES}, or all {@link MAX_TOGETHER_BYTES}
   * @throws NotAppended, StorageFailed, Unavailable like {@link append}
   * @returns position of the last event
   */
  readonly appendTogether: ((appends: readonly StreamAppend[]) => Promise<Position>) | null;

  /** Reads events of one stream, in order; returns none if there is no such stream. @throws Unavailable */
  readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]>;

  /** Reads a page of the log, in order. @throws Unavailable */
  readAll(options: ReadAllOptions): Promise<StoredEvent[]>;

  /** Returns the position of the newest event, or {@link BEGINNING}. @throws Unavailable */
  readHead(): Promise<Position>;

  /**
   * Catches up from a checkpoint, then follows the log live, in order, without gaps or repeats. It reconnects
   * automatically with backoff and never throws for an outage; it ends when the signal is aborted. Batches wait for a
   * slow reader.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;

  /** Limits a stream to its newest `maxCount` (>= 1) events: reads hide older ones. @throws Unavailable */
  setRetention(stream: string, maxCount: number): Promise<void>;

  /**
   * Deletes all events of a stream permanently. Reads find no stream, and the log skips the events' positions.
   * KurrentDB shows the events in the log until the server is scavenged, and refuses later appends
   * ({@link StreamDeleted}). Only for streams that will get no more events and are not needed by any read model.
   * Deleting a nonexistent stream is not an error, so a deletion with an unknown outcome may be repeated.
   * @throws Unavailable
   */
  deleteStream(stream: string): Promise<void>;

  /** Reason why the store rejects appends; null if the last append was written, or none has been attempted. */
  readonly appendFailure: AppendFailure | null;

  /**
   * Checks in the background whether the store accepts appends, and updates {@link EventStore.appendFailure}. For
   * callers that got a {@link StorageFailed} elsewhere in the same database.
   */
  checkAppends(): void;

  /** Waits for calls in flight and closes every connection. */
  close(): Promise<void>;
}

/** A file of archived events. */
export interface ArchivedFile {
  /** Its name in the store of uploads. */
  readonly name: string;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
}

/** A file that is to be archived: events of one month, whose positions follow those of the file before it. */
export interface PackedFile extends ArchivedFile {
  /** UTC: `2026-11`. */
  readonly month: string;
  readonly first: Position;
  readonly last: Position;
  readonly events: number;
  readonly bytes: Buffer;
}

/** Where archived files are kept. */
export interface ArchiveFiles {
  /** Stores a file durably; does nothing if there is one of that name. @throws Unavailable */
  write(name: string, bytes: Buffer): Promise<void>;
  /** @throws Unavailable */
  read(name: string): Promise<Buffer>;
  /** Lists the names of all files. @throws Unavailable */
  list(): Promise<readonly string[]>;
}

/** Names of archived files on which the store of files and the database do not agree. */
export interface ArchiveDifference {
  /**
   * Files that the database does not know. If they are not those of an interrupted run, a backup from before them was
   * restored.
   */
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Moves the events of ended months from the store's table into files, one file after the other (D-101): {@link pack},
 * {@link store}, then an event that names the file, then {@link move}. Each step may be repeated. All reads of the store
 * return archived events like others.
 */
export interface EventArchive {
  /** Returns the position of the last archived event; {@link BEGINNING} if there is none. @throws Unavailable */
  readEnd(): Promise<Position>;
  /**
   * Prepares the file that follows the last one.
   * @param before end of the last month to archive
   * @param after position of the file before it; by default, of the last one
   * @returns null if no event is that old @throws Unavailable
   */
  pack(before: Instant, after?: Position): Promise<PackedFile | null>;
  /** Writes the file and reads it back. @throws Unavailable */
  store(file: PackedFile): Promise<void>;
  /** Files that were missing or damaged when they were last read. */
  readonly unreadable: ReadonlySet<string>;
  /** Compares the files with the index of the database, and reads again what was unreadable. @throws Unavailable */
  compare(): Promise<ArchiveDifference>;
  /** Removes the file's events from the table. Does nothing if it was moved before. @throws Unavailable */
  move(file: ArchivedFile): Promise<void>;
}

/** An event store whose identity can be checked; each adapter implements it. */
export interface EventStoreAdapter extends EventStore {
  /**
   * True if appends to several streams that begin in one turn of the event loop are written as one atomic unit, in call
   * order, provided that they fit into one batch.
   */
  readonly commitsInOrder: boolean;

  /** Null if the store is in the database: notes stored there would be lost along with the database. */
  readonly notes: StoreNotes | null;

  /** Null if the server keeps its own events. */
  readonly archive: EventArchive | null;

  /** Returns the newest event; null if there is none. @throws Unavailable */
  readLastEvent(): Promise<StoredEvent | null>;

  /** Reads the store's identity and the position at which its log ends. @throws Unavailable */
  readIdentity(): Promise<StoreIdentity>;

  /** Gives the store an identity, a UUID, unless it has one. Returns the store's identity. @throws Unavailable */
  createIdentity(id: string): Promise<string>;

  /**
   * Calls the listener whenever a connection to the store is lost, because another store may respond afterwards. If the
   * connection is lost after {@link readIdentity} has begun to read, the listener is called before another server can
   * respond.
   */
  onConnectionLoss(listener: () => void): void;
}

/** Reason why a running store rejects appends until an operator fixes the cause. */
export interface AppendFailure {
  /** The server's code, such as SQLSTATE `53100`: the disk is full. */
  readonly code: string;
  readonly message: string;
  /** Time of the first append that was refused, in ms since 1970. */
  readonly since: number;
}

/** The stream is at revision `actual`, not at the revision that the append expected. */
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

/** The condition of an append does not hold, so nothing was written. */
export class ConditionFailed extends Error {
  constructor(readonly condition: AppendCondition) {
    super(`${condition.subject} is no longer at version ${condition.version}`);
    this.name = 'ConditionFailed';
  }
}

/** The store could not be reached or did not respond in time. `cause` holds the reason. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/**
 * The append was not sent, so nothing was written: too many were waiting, it waited too long, or an import is
 * unfinished. Retry it later.
 */
export class NotAppended extends Unavailable {
  override name = 'NotAppended';
}

/**
 * The store runs but rejects reads and writes until an operator fixes the cause: a full disk, missing rights, damage.
 * Nothing was written. Retrying before then is pointless.
 */
export class StorageFailed extends Unavailable {
  constructor(
    /** The server's code, such as an SQLSTATE. */
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(`${message} (${code})`, options);
    this.name = 'StorageFailed';
  }
}

/** The read models do not belong to the connected store, so nothing is written to it or read from it. */
export class WrongEventStore extends StorageFailed {
  constructor(problem: string) {
    super('WRONG_EVENT_STORE', problem);
    this.name = 'WrongEventStore';
    this.message = problem;
  }
}

/** An append that is larger than the store accepts. Retrying it is pointless: append less. */
export class AppendTooLarge extends Error {
  readonly code = 'append_too_large';

  /** @param stream the stream, or a description of several streams */
  constructor(
    readonly stream: string,
    readonly bytes: number,
    limit = MAX_APPEND_BYTES,
  ) {
    super(`append to ${stream} has ${bytes} bytes; the limit is ${limit}`);
    this.name = 'AppendTooLarge';
  }
}

/** An append to a stream that was deleted. Only KurrentDB refuses it. */
export class StreamDeleted extends Error {
  constructor(readonly stream: string) {
    super(`${stream} was deleted`);
    this.name = 'StreamDeleted';
  }
}

/** Returns the size of an append in bytes, as {@link MAX_APPEND_BYTES} counts it. */
export const countAppendBytes = (events: readonly NewEvent[]): number =>
  events.reduce((sum, event) => sum + countBytes(event) + event.type.length + 36, 0);

/** Returns an upper bound on the size of an append, in bytes: a UTF-16 unit is at most three bytes of UTF-8. */
const maxAppendBytes = (events: readonly NewEvent[]): number =>
  events.reduce((sum, { data, metadata, type }) => sum + 3 * (data.length + metadata.length + type.length) + 36, 0);

/** Only an append whose upper bound exceeds this size is measured exactly. */
const EXACT_COUNT_ABOVE_BYTES = 65_536;

/**
 * Validates an append before an adapter sends it. Returns its size in bytes, or an upper bound if it is small.
 * @param unsupportedCondition the condition, if the adapter cannot check it
 * @throws RangeError for no events, or for a stream or type that is empty or starts with `$` (reserved for the store)
 * @throws AppendTooLarge
 */
export const validateAppend = (
  stream: string,
  events: readonly NewEvent[],
  unsupportedCondition: AppendCondition | null = null,
): number => {
  if (unsupportedCondition) throw new RangeError(`${stream}: this store cannot check the condition of an append`);
  if (events.length === 0) throw new RangeError(`${stream}: an append needs at least one event`);
  if (stream === '' || stream.startsWith('$')) throw new RangeError(`"${stream}" is not a valid stream name`);
  const invalid = events.find(({ type }) => type === '' || type.startsWith('$'));
  if (invalid) throw new RangeError(`"${invalid.type}" is not a valid event type`);
  const most = maxAppendBytes(events);
  if (most <= EXACT_COUNT_ABOVE_BYTES) return most;
  const bytes = countAppendBytes(events);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(stream, bytes);
  return bytes;
};

/** Validates an append to several streams before an adapter sends it. Returns its size. @throws like {@link validateAppend} */
export const validateTogether = (appends: readonly StreamAppend[]): number => {
  const bytes = appends.reduce((sum, { stream, events }) => sum + validateAppend(stream, events), 0);
  if (bytes <= MAX_TOGETHER_BYTES) return bytes;
  const exact = appends.reduce((sum, { events }) => sum + countAppendBytes(events), 0);
  if (exact > MAX_TOGETHER_BYTES) throw new AppendTooLarge(`${appends.length} streams`, exact, MAX_TOGETHER_BYTES);
  return exact;
};

/** Injection token for the {@link EventStore}. */
export const EVENT_STORE = Symbol('EventStore');

/**
 * True for an outage of the event store that ends on its own. The store's connection logs its start and end once
 * (ADR-195), so waiting code need not. A full disk or a refused user is not an outage: operators must see it.
 */
export const isStoreOutage = (error: unknown): boolean =>
  error instanceof Unavailable && !(error instanceof StorageFailed);

/** Filters the log by event type. At most one of the two members is set; if neither is, all events are selected. */
export interface TypeFilter {
  /** Only events of these types. */
  readonly types?: readonly string[];
  /** All events except events of these types. */
  readonly except?: readonly string[];
}

/** Returns a function that is true for the types that a filter selects. */
export const createTypeMatcher = ({ types, except }: TypeFilter): ((type: string) => boolean) => {
  if (types) {
    const wanted = new Set(types);
    return (type) => wanted.has(type);
  }
  const unwanted = new Set(except);
  return (type) => !unwanted.has(type);
};

/** Returns a filter that selects every type selected by either of two filters. */
export const mergeFilters = (one: TypeFilter, other: TypeFilter): TypeFilter => {
  if (one.types && other.types) return { types: [...new Set([...one.types, ...other.types])] };
  const isWanted = [createTypeMatcher(one), createTypeMatcher(other)];
  const except = [one, other]
    .flatMap((filter) => filter.except ?? [])
    .filter((type) => isWanted.every((wanted) => !wanted(type)));
  return { except: [...new Set(except)] };
};

/** True if `one` selects every type that `other` selects. */
export const coversFilter = (one: TypeFilter, other: TypeFilter): boolean => {
  if (other.types) return other.types.every(createTypeMatcher(one));
  return !one.types && (one.except ?? []).every((type) => !createTypeMatcher(other)(type));
};
