import { NO_STREAM } from '@kurrent/kurrentdb-client';
import { type Log, silentLog } from '../../kernel/log.js';
import {
  type AppendCondition,
  type AppendResult,
  type Batch,
  checkAppend,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscribeOptions,
  Unavailable,
} from '../port.js';
import { AppendLanes } from './append-lanes.js';
import { dispose, RenewableClient } from './clients.js';
import { appendError, portError } from './errors.js';
import { toEventData } from './event-text.js';
import { Reader } from './reader.js';
import { follow } from './subscription.js';

/** Where the server is. */
export interface KurrentEventStoreOptions {
  /** `kurrentdb://…` or `esdb://…`, one node or a cluster, with the client's own options; credentials need TLS. */
  readonly connectionString: string;
  /** How long one call may take before it counts as unavailable, ms. Default 10,000. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

/**
 * How long the server may count an append as wanted, ms. The client sends it as a moment, so it has to outlast the
 * difference between two clocks; our own timer is what ends a call.
 */
const SERVER_DEADLINE_MS = 60_000;

/** Events in KurrentDB, or EventStoreDB from 23.10 on. Positions are commit positions in the server’s log. */
export class KurrentEventStore implements EventStore {
  private readonly lanes: AppendLanes;
  private readonly reader: Reader;
  private readonly subscriptionClients: RenewableClient;
  private readonly inFlight = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();
  private readonly timeoutMs: number;
  private readonly log: Log;

  constructor({ connectionString, timeoutMs = 10_000, log = silentLog }: KurrentEventStoreOptions) {
    this.timeoutMs = timeoutMs;
    this.log = log;
    this.lanes = new AppendLanes(connectionString, timeoutMs);
    this.reader = new Reader(connectionString, timeoutMs);
    this.subscriptionClients = new RenewableClient(connectionString, dispose);
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ): Promise<AppendResult> {
    checkAppend(stream, events, condition);
    return this.tracked(() => this.appendChecked(stream, expected, events));
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    return this.tracked(() => this.reader.readStream(stream, options));
  }

  readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    return this.tracked(() => this.reader.readAll(options));
  }

  head(): Promise<Position> {
    return this.tracked(() => this.reader.head());
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    return follow(
      { ...options, signal },
      {
        clients: this.subscriptionClients,
        startFor: (after) => this.tracked(() => this.reader.subscriptionStart(after)),
        timeoutMs: this.timeoutMs,
        onDrop: (error) => {
          this.log.info({ error: error.message }, 'a subscription was dropped; it resumes');
          options.onDrop?.(error);
        },
      },
    );
  }

  setRetention(stream: string, maxCount: number): Promise<void> {
    return this.tracked(() => this.retain(stream, maxCount));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled(this.inFlight);
    await Promise.all([this.lanes.close(), this.subscriptionClients.close()]);
  }

  private async appendChecked(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    const data = events.map(toEventData);
    const streamState = expected === 'noStream' ? NO_STREAM : expected;
    try {
      const result = await this.lanes.run(stream, (client) =>
        client.appendToStream(stream, data, { streamState, deadline: SERVER_DEADLINE_MS }),
      );
      // Repeated after retention has cut the events off, an append has no position left to tell.
      return { revision: result.nextExpectedRevision, position: result.position?.commit ?? (await this.reader.head()) };
    } catch (error) {
      throw appendError(error, stream, expected, events);
    }
  }

  /** Other metadata of the stream are kept, and nothing is written where nothing changes. */
  private async retain(stream: string, maxCount: number): Promise<void> {
    const metadata = await this.reader.metadata(stream);
    if (metadata.maxCount === maxCount) return;
    const write = { ...metadata, maxCount };
    try {
      await this.lanes.run(stream, (client) =>
        client.setStreamMetadata(stream, write, { deadline: SERVER_DEADLINE_MS }),
      );
    } catch (error) {
      throw portError(error, `set retention of ${stream}`);
    }
  }

  private async tracked<T>(start: () => Promise<T>): Promise<T> {
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
