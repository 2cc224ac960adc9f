import { randomUUID } from 'node:crypto';
import { WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import type { Json } from '../../kernel/ids.js';
import { type Log, silentLog } from '../../kernel/log.js';
import { AppendHealth, type Refusal } from '../append-health.js';
import {
  type AppendCondition,
  type AppendFailure,
  type AppendResult,
  type Batch,
  type EventStoreAdapter,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  StorageFailed,
  type StoredEvent,
  type StoreIdentity,
  type StoreNotes,
  type SubscribeOptions,
  Unavailable,
  validateAppend,
  WrongExpectedRevision,
} from '../port.js';
import { type AppendBounds, Appender } from './appender.js';
import { RenewableClient } from './clients.js';
import { ConnectionWatch } from './connection-watch.js';
import { isStreamDeleted, toAppendError, toPortError } from './errors.js';
import { LogFeeds } from './log-feed.js';
import { openSubscription, requestSubscription, toWireEvent } from './read-call.js';
import { EventReader, followLog, SharedCalls } from './reader.js';

/** Options for the event store. */
export interface KurrentEventStoreOptions {
  /** `kurrentdb://…` or `esdb://…`, one node or a cluster, with the client's own options; credentials need TLS. */
  readonly connectionString: string;
  /** Time limit of one call, in ms, after which the server counts as unavailable. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum number of appends and bytes in flight and waiting; for tests. */
  readonly appendBounds?: Partial<AppendBounds>;
  readonly log?: Log;
}

/**
 * Deadline that the server applies to a call that writes metadata or deletes a stream, in ms. The client sends it as a
 * point in time, so it must exceed the difference between the two clocks. The gateway's own time limit ends a call
 * earlier.
 */
const SERVER_DEADLINE_MS = 60_000;

/** A revision that no stream reaches. */
const UNREACHED_REVISION = 2n ** 60n;

/** Returns the refusal if the server denied access. Any other failure counts as an outage. */
const findRefusal = (error: unknown): Refusal | null =>
  error instanceof StorageFailed ? { code: error.code, message: error.message } : null;

/** Stream without events, whose metadata holds the identity of the store (ADR-124). Subscribers do not read it. */
const IDENTITY_STREAM = 'crosspost-store';
const noteStream = (name: string): string => `crosspost-${name}`;

/** Event store in KurrentDB, or in EventStoreDB 21.10 or later. Positions are commit positions in the server's log. */
export class KurrentEventStore implements EventStoreAdapter {
  readonly commitsInOrder = false;
  readonly appendTogether = null;
  readonly archive = null;
  readonly notes: StoreNotes = {
    readNote: (name) => this.trackCall(() => this.readNote(name)),
    writeNote: (name, note) => this.trackCall(() => this.writeNote(name, note)),
  };
  private readonly appender: Appender;
  private readonly health: AppendHealth;
  /** Stream of the last append that the server refused. */
  private refusedStream = '';
  private readonly reader: EventReader;
  /** Client for reads and subscriptions. */
  private readonly client: RenewableClient;
  private readonly feeds: LogFeeds;
  private readonly watch: ConnectionWatch;
  private readonly inFlight = new Set<Promise<unknown>>();
  private readonly appends = new SharedCalls<AppendResult>();
  private readonly closing = new AbortController();
  private readonly timeoutMs: number;
  private readonly log: Log;

  constructor({ connectionString, timeoutMs = 10_000, appendBounds, log = silentLog }: KurrentEventStoreOptions) {
    this.timeoutMs = timeoutMs;
    this.log = log;
    this.appender = new Appender(connectionString, timeoutMs, () => this.watch.reportLoss(), appendBounds);
    this.health = new AppendHealth(log, () => this.probeAppend(), findRefusal);
    this.client = new RenewableClient(connectionString);
    this.reader = new EventReader(this.client, timeoutMs);
    this.feeds = new LogFeeds({
      openSubscription: (start, filter, listener) =>
        openSubscription(this.client, timeoutMs, requestSubscription(start, filter), listener),
      findStart: (after) => this.trackCall(() => this.reader.findSubscriptionStart(after)),
      skipUnwanted: (after, isWanted) => this.trackCall(() => this.reader.skipUnwanted(after, isWanted)),
      timeoutMs,
    });
    this.watch = new ConnectionWatch(IDENTITY_STREAM, this.client, log, this.closing.signal);
  }

  get appendFailure(): AppendFailure | null {
    return this.health.failure;
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ): Promise<AppendResult> {
    const bytes = validateAppend(stream, events, condition);
    const identity = [stream, expected, ...events.map(({ id }) => id)].join('\n');
    return this.trackCall(() =>
      this.appends.share(identity, () => this.appendChecked(stream, expected, events, bytes)),
    );
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    return this.trackCall(() => this.reader.readStream(stream, options));
  }

  readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    return this.trackCall(() => this.reader.readAll(options));
  }

  readHead(): Promise<Position> {
    return this.trackCall(() => this.reader.readHead());
  }

  readLastEvent(): Promise<StoredEvent | null> {
    return this.trackCall(() => this.reader.readLastEvent());
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    const onDrop = (error: Error): void => {
      setImmediate(() => {
        if (this.watch.isAway) return; // the outage is already logged
        this.log.info({ reason: error.message }, 'the event store dropped a subscription; it resumes automatically');
      });
      options.onDrop?.(error);
    };
    return followLog({ ...options, signal, onDrop }, this.feeds);
  }

  setRetention(stream: string, maxCount: number): Promise<void> {
    return this.trackCall(() => this.writeRetention(stream, maxCount));
  }

  deleteStream(stream: string): Promise<void> {
    return this.trackCall(() => this.deleteExisting(stream));
  }

  readIdentity(): Promise<StoreIdentity> {
    return this.trackCall(async () => {
      await this.watch.waitUntilConnected(this.timeoutMs);
      // Connect before reading the identity, so that the connections lead to the store that was identified.
      await this.appender.connect().catch((error: unknown) => {
        throw toPortError(error, 'connect');
      });
      return { id: await this.readId(), end: await this.reader.readEnd() };
    });
  }

  createIdentity(id: string): Promise<string> {
    return this.trackCall(() => this.writeId(id));
  }

  onConnectionLoss(listener: () => void): void {
    this.watch.onLoss(listener);
  }

  checkAppends(): void {
    if (this.refusedStream !== '') this.health.check();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.health.stop();
    await Promise.allSettled(this.inFlight);
    await Promise.all([this.appender.close(), this.client.close()]);
  }

  private async appendChecked(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    bytes: number,
  ): Promise<AppendResult> {
    try {
      const { revision, position } = await this.appender.append({
        stream,
        expected,
        events: events.map(toWireEvent),
        bytes,
      });
      this.health.recordSuccess();
      return { revision, position: position ?? (await this.reader.readHead()) };
    } catch (error) {
      throw this.recordRefusal(stream, toAppendError(error, stream, expected, events));
    }
  }

  private recordRefusal(stream: string, error: unknown): unknown {
    const refusal = findRefusal(error);
    if (refusal) {
      this.refusedStream = stream;
      this.health.recordRefusal(refusal);
    }
    return error;
  }

  /** Attempts an append that writes nothing, at an impossible revision. The server checks the user's rights first. */
  private async probeAppend(): Promise<void> {
    const stream = this.refusedStream;
    const probe = { id: randomUUID(), type: 'Probe', data: '{}', metadata: '{}' };
    try {
      await this.appendChecked(stream, UNREACHED_REVISION, [probe], 0);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }

  private async readId(): Promise<string | null> {
    const { crosspost } = await this.reader.readMetadata(IDENTITY_STREAM);
    return (crosspost as { readonly store_id?: string } | undefined)?.store_id ?? null;
  }

  /** Writes the identity if there is none; if several processes try, one succeeds. Returns the store's identity. */
  private async writeId(id: string): Promise<string> {
    const data = JSON.stringify({ crosspost: { store_id: id } });
    const metadata = toWireEvent({ id: randomUUID(), type: '$metadata', data, metadata: '{}' });
    try {
      await this.appender.append({
        stream: `$$${IDENTITY_STREAM}`,
        expected: 'noStream',
        events: [metadata],
        bytes: data.length,
      });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw toPortError(error, 'create the identity of the store');
    }
    const written = await this.readId();
    if (written === null) throw new Error(`the metadata of the stream ${IDENTITY_STREAM} holds no identity`);
    return written;
  }

  private async readNote(name: string): Promise<Json | null> {
    const { crosspost } = await this.reader.readMetadata(noteStream(name));
    return (crosspost ?? null) as Json | null;
  }

  /** Keeps a note in the metadata of a stream without events. The server keeps the latest version of the metadata. */
  private async writeNote(name: string, note: Json): Promise<void> {
    try {
      await this.appender.call((client) =>
        client.setStreamMetadata(noteStream(name), { crosspost: note }, { deadline: SERVER_DEADLINE_MS }),
      );
    } catch (error) {
      throw toPortError(error, `write the note ${name}`);
    }
  }

  /** Sets a stream's retention unless it is already set to this value, and keeps the stream's other metadata. */
  private async writeRetention(stream: string, maxCount: number): Promise<void> {
    const metadata = await this.reader.readMetadata(stream);
    if (metadata.maxCount === maxCount) return;
    const changed = { ...metadata, maxCount };
    try {
      await this.appender.call((client) => client.setStreamMetadata(stream, changed, { deadline: SERVER_DEADLINE_MS }));
    } catch (error) {
      throw toPortError(error, `set retention of ${stream}`);
    }
  }

  /**
   * Deletes a stream with a tombstone: the next scavenge on the server removes all its events. After a soft delete, a
   * scavenge would keep the last event. Both kinds of deletion need the same permission.
   */
  private async deleteExisting(stream: string): Promise<void> {
    const [last] = await this.reader.readStream(stream, { direction: 'backwards', limit: 1 });
    if (!last) return;
    try {
      await this.appender.call((client) => client.tombstoneStream(stream, { deadline: SERVER_DEADLINE_MS }));
    } catch (error) {
      if (!isStreamDeleted(error)) throw toPortError(error, `delete ${stream}`);
    }
  }

  private async trackCall<T>(start: () => Promise<T>): Promise<T> {
    if (this.closing.signal.aborted) throw new Unavailable('the event store is closed');
    const call = start();
    this.inFlight.add(call);
    try {
      return await call;
    } finally {
      this.inFlight.delete(call);
    }
  }
}
