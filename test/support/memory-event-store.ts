import { indexAfter } from '../../src/event-store/aggregate-reader.js';
import {
  type AppendCondition,
  type AppendResult,
  type Batch,
  BEGINNING,
  createTypeMatcher,
  type EventStoreAdapter,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type StoreIdentity,
  type StreamAppend,
  type SubscribeOptions,
  takePage,
  Unavailable,
  validateAppend,
  validateTogether,
  WrongExpectedRevision,
} from '../../src/event-store/port.js';

/** The log itself. {@link MemoryEventStore}s that share a log behave like processes that share a store. */
export class MemoryLog {
  readonly events: StoredEvent[] = [];
  /** Identity of the store; null until one is created. */
  id: string | null = null;
  /** Number of events ever appended, including deleted ones. */
  appended = 0;
  readonly streams = new Map<string, StoredEvent[]>();
  readonly retention = new Map<string, number>();
  /** Faults that a test can inject. */
  readonly faults = { isUnavailable: false, responsesToLose: 0 };
  private readonly watchers = new Set<(dropped: boolean) => void>();

  /** Registers a callback for appends (`false`) and drops (`true`). Returns a function that removes it. */
  watch(callback: (dropped: boolean) => void): () => void {
    this.watchers.add(callback);
    return () => this.watchers.delete(callback);
  }

  notify(): void {
    for (const watcher of [...this.watchers]) watcher(false);
  }

  /** Drops every live subscription, as if the connection were lost. */
  dropSubscribers(): void {
    for (const watcher of [...this.watchers]) watcher(true);
  }
}

/** Event store in memory, for unit tests. It fulfils the port's contract without a server. */
export class MemoryEventStore implements EventStoreAdapter {
  readonly appendFailure = null;
  readonly commitsInOrder = true;
  readonly notes = null;
  readonly archive = null;
  private readonly log: MemoryLog;
  private readonly first: Position;
  private readonly closing = new AbortController();

  /**
   * @param options.log a log to share with other stores
   * @param options.firstPosition position of the first event, for tests
   */
  constructor(options: { log?: MemoryLog; firstPosition?: bigint } = {}) {
    this.log = options.log ?? new MemoryLog();
    this.first = options.firstPosition ?? 1n;
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ): Promise<AppendResult> {
    validateAppend(stream, events, condition);
    await this.simulateCall();
    const result = this.appendNow(stream, expected, events);
    if (this.log.faults.responsesToLose > 0) {
      this.log.faults.responsesToLose -= 1;
      throw new Unavailable('the response was lost');
    }
    return result;
  }

  async appendTogether(appends: readonly StreamAppend[]): Promise<Position> {
    validateTogether(appends);
    await this.simulateCall();
    const isOpen = ({ stream, expected }: StreamAppend) =>
      indexOf(expected) === (this.log.streams.get(stream)?.length ?? 0);
    const taken = appends.find((each) => !isOpen(each));
    // The appends are either all new or all repeats, and appendNow writes nothing for a repeat.
    if (taken && appends.some(isOpen)) throw new WrongExpectedRevision(taken.stream, taken.expected, 'noStream');
    return appends.map(({ stream, expected, events }) => this.appendNow(stream, expected, events)).at(-1)!.position;
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    await this.simulateCall();
    const all = this.log.streams.get(stream) ?? [];
    const kept = all.slice(Math.max(0, all.length - (this.log.retention.get(stream) ?? all.length)));
    const ordered = options.direction === 'backwards' ? kept.reverse() : kept;
    const { from, limit = Infinity } = options;
    const wanted = from === undefined ? ordered : ordered.filter((event) => isInRange(event.revision, from, options));
    return wanted.slice(0, limit);
  }

  async readAll({ after, limit, ...filter }: ReadAllOptions): Promise<StoredEvent[]> {
    await this.simulateCall();
    const isWanted = createTypeMatcher(filter);
    const { events } = this.log;
    const later = events.slice(indexAfter(events, after));
    return takePage(
      later.filter(({ type }) => isWanted(type)),
      limit,
    );
  }

  async readHead(): Promise<Position> {
    await this.simulateCall();
    return this.log.events.at(-1)?.position ?? BEGINNING;
  }

  async readLastEvent(): Promise<StoredEvent | null> {
    await this.simulateCall();
    return this.log.events.at(-1) ?? null;
  }

  async *subscribe({ after, maxBatch = 500, onDrop, ...options }: SubscribeOptions): AsyncIterable<Batch> {
    const isWanted = createTypeMatcher(options);
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    let position = after;
    let isLiveReported = false;
    while (!signal.aborted) {
      const start = indexAfter(this.log.events, position);
      const range = this.log.faults.isUnavailable
        ? []
        : takePage(this.log.events.slice(start, start + maxBatch), maxBatch);
      position = range.at(-1)?.position ?? position;
      const isLive = start + range.length >= this.log.events.length;
      if (range.length > 0 || (isLive && !isLiveReported)) {
        isLiveReported ||= isLive;
        const events = range.filter(({ type }) => isWanted(type));
        yield { events, position, isLive };
        continue;
      }
      if (await this.waitForChange(signal)) onDrop?.(new Unavailable('the subscription was dropped'));
    }
  }

  async setRetention(stream: string, maxCount: number): Promise<void> {
    await this.simulateCall();
    this.log.retention.set(stream, maxCount);
  }

  async deleteStream(stream: string): Promise<void> {
    await this.simulateCall();
    const { events, streams, retention } = this.log;
    events.splice(0, events.length, ...events.filter((event) => event.stream !== stream));
    streams.delete(stream);
    retention.delete(stream);
  }

  async readIdentity(): Promise<StoreIdentity> {
    await this.simulateCall();
    const { id, appended } = this.log;
    return { id, end: this.first + BigInt(appended) - 1n };
  }

  async createIdentity(id: string): Promise<string> {
    await this.simulateCall();
    return (this.log.id ??= id);
  }

  onConnectionLoss(listener: () => void): void {
    this.log.watch((dropped) => {
      if (dropped) listener();
    });
  }

  checkAppends(): void {
    // appends to memory never fail
  }

  async close(): Promise<void> {
    this.closing.abort();
    await new Promise(setImmediate); // a call takes one turn of the event loop, so all calls have finished
  }

  private appendNow(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): AppendResult {
    const known = this.log.streams.get(stream) ?? [];
    const at = indexOf(expected);
    if (at !== known.length) {
      const isRepeated = events.every((event, i) => known[at + i]?.id === event.id);
      const last = known[at + events.length - 1];
      if (isRepeated && last) return { revision: last.revision, position: last.position };
      throw new WrongExpectedRevision(stream, expected, known.at(-1)?.revision ?? 'noStream');
    }
    for (const { id, type, data, metadata } of events) {
      const stored: StoredEvent = {
        id,
        type,
        data,
        metadata,
        stream,
        revision: BigInt(known.length),
        position: this.first + BigInt(this.log.appended++),
      };
      known.push(stored);
      this.log.events.push(stored);
    }
    this.log.streams.set(stream, known);
    this.log.notify();
    const last = known.at(-1)!;
    return { revision: last.revision, position: last.position };
  }

  /** Takes one turn of the event loop, like a call to a real store. @throws Unavailable during an injected outage */
  private async simulateCall(): Promise<void> {
    await new Promise(setImmediate);
    if (this.log.faults.isUnavailable) throw new Unavailable('the store is unavailable');
  }

  /** Waits for the next append, drop or abort. @returns true for a drop */
  private waitForChange(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (dropped: boolean) => {
        stop();
        signal.removeEventListener('abort', aborted);
        clearTimeout(poll);
        resolve(dropped);
      };
      const aborted = () => done(false);
      const stop = this.log.watch(done);
      const poll = setTimeout(aborted, 100); // an outage may end without a notification
      signal.addEventListener('abort', aborted);
    });
  }
}

/** Returns the index, within its stream, of the event after a revision. */
const indexOf = (expected: ExpectedRevision): number => (expected === 'noStream' ? 0 : Number(expected + 1n));

const isInRange = (revision: bigint, from: bigint, { direction }: ReadStreamOptions): boolean =>
  direction === 'backwards' ? revision <= from : revision >= from;
