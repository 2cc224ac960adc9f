import {
  type AppendCondition,
  type AppendResult,
  type Batch,
  BEGINNING,
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
  WrongExpectedRevision,
} from '../port.js';
import { wants } from '../type-filter.js';

/** The log itself; several {@link MemoryEventStore}s over one log are several processes over one store. */
export class MemoryLog {
  readonly events: StoredEvent[] = [];
  readonly streams = new Map<string, StoredEvent[]>();
  readonly retention = new Map<string, number>();
  /** What a test may break. */
  readonly faults = { unavailable: false, loseAnswers: 0 };
  private readonly watchers = new Set<(dropped: boolean) => void>();

  /** Calls back at every append, drop and change of the faults; answers how to stop that. */
  watch(callback: (dropped: boolean) => void): () => void {
    this.watchers.add(callback);
    return () => this.watchers.delete(callback);
  }

  notify(): void {
    for (const watcher of [...this.watchers]) watcher(false);
  }

  /** Breaks every live subscription, as a lost connection would. */
  dropSubscribers(): void {
    for (const watcher of [...this.watchers]) watcher(true);
  }
}

/** An event store in memory, for unit tests: the port's contract without a process behind it. */
export class MemoryEventStore implements EventStore {
  private readonly log: MemoryLog;
  private readonly first: Position;
  private readonly closing = new AbortController();

  /** @param options.log shared with other stores; @param options.firstPosition where positions begin, for tests. */
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
    checkAppend(stream, events, condition);
    await this.reach();
    const result = this.appendNow(stream, expected, events);
    if (this.log.faults.loseAnswers > 0) {
      this.log.faults.loseAnswers -= 1;
      throw new Unavailable('the answer was lost');
    }
    return result;
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    await this.reach();
    const all = this.log.streams.get(stream) ?? [];
    const kept = all.slice(Math.max(0, all.length - (this.log.retention.get(stream) ?? all.length)));
    const ordered = options.direction === 'backwards' ? kept.reverse() : kept;
    const { from, limit = Infinity } = options;
    const wanted = from === undefined ? ordered : ordered.filter((event) => beyond(event.revision, from, options));
    return wanted.slice(0, limit);
  }

  async readAll({ after, limit, ...filter }: ReadAllOptions): Promise<StoredEvent[]> {
    await this.reach();
    const isWanted = wants(filter);
    const found: StoredEvent[] = [];
    for (let i = this.indexAfter(after); i < this.log.events.length && found.length < limit; i++) {
      const event = this.log.events[i]!;
      if (isWanted(event.type)) found.push(event);
    }
    return found;
  }

  async head(): Promise<Position> {
    await this.reach();
    return this.log.events.at(-1)?.position ?? BEGINNING;
  }

  async *subscribe({ after, maxBatch = 500, onDrop, ...options }: SubscribeOptions): AsyncIterable<Batch> {
    const isWanted = wants(options);
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    let position = after;
    let toldLive = false;
    while (!signal.aborted) {
      const start = this.indexAfter(position);
      const stretch = this.log.faults.unavailable ? [] : this.log.events.slice(start, start + maxBatch);
      position = stretch.at(-1)?.position ?? position;
      const live = start + stretch.length >= this.log.events.length;
      if (stretch.length > 0 || (live && !toldLive)) {
        toldLive ||= live;
        const events = stretch.filter(({ type }) => isWanted(type));
        yield { events, position, live };
        continue;
      }
      if (await this.change(signal)) onDrop?.(new Unavailable('the subscription was dropped'));
    }
  }

  async setRetention(stream: string, maxCount: number): Promise<void> {
    await this.reach();
    this.log.retention.set(stream, maxCount);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await new Promise(setImmediate); // every call takes one turn of the event loop: those under way are through now
  }

  private appendNow(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): AppendResult {
    const known = this.log.streams.get(stream) ?? [];
    const at = expected === 'noStream' ? 0 : Number(expected + 1n);
    if (at !== known.length) {
      const repeated = events.every((event, i) => known[at + i]?.id === event.id);
      const last = known[at + events.length - 1];
      if (repeated && last) return { revision: last.revision, position: last.position };
      throw new WrongExpectedRevision(stream, expected, known.at(-1)?.revision ?? 'noStream');
    }
    for (const { id, type, data, metadata } of events) {
      const stored: StoredEvent = {
        ...{ id, type, data, metadata, stream },
        revision: BigInt(known.length),
        position: this.first + BigInt(this.log.events.length),
      };
      known.push(stored);
      this.log.events.push(stored);
    }
    this.log.streams.set(stream, known);
    this.log.notify();
    const last = known.at(-1)!;
    return { revision: last.revision, position: last.position };
  }

  /** A turn of the event loop, as any store costs, and the outage where there is one. */
  private async reach(): Promise<void> {
    await new Promise(setImmediate);
    if (this.log.faults.unavailable) throw new Unavailable('the store is away');
  }

  private indexAfter(after: Position): number {
    const index = after - this.first + 1n;
    return index <= 0n ? 0 : Math.min(Number(index), this.log.events.length);
  }

  /** Waits for the next append, drop or abort; true for a drop. */
  private change(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (dropped: boolean) => {
        stop();
        signal.removeEventListener('abort', aborted);
        clearTimeout(poll);
        resolve(dropped);
      };
      const aborted = () => done(false);
      const stop = this.log.watch(done);
      const poll = setTimeout(aborted, 100); // an outage may end without a sign
      signal.addEventListener('abort', aborted);
    });
  }
}

const beyond = (revision: bigint, from: bigint, { direction }: ReadStreamOptions): boolean =>
  direction === 'backwards' ? revision <= from : revision >= from;
