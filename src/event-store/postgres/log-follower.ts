import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { Backoff } from '../../runtime/backoff.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import {
  type Batch,
  BEGINNING,
  coversFilter,
  createTypeMatcher,
  isFullPage,
  mergeFilters,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
  type SubscribeOptions,
  type TypeFilter,
} from '../port.js';
import { EventBuffer, type LogPage } from './append-queue.js';

/** Poll interval in ms. Normally, a notification wakes the reader; polling makes up for lost notifications. */
const POLL_MS = 400;
const PAGE_EVENTS = 1_000;
/** Number of positions that are searched in one read with a type filter; this takes tens of milliseconds. */
const SEARCH_WINDOW = 50_000n;
/** How long to pause after new positions held no wanted event, in ms, so that the next read covers more. */
const UNWANTED_PAUSE_MS = 20;

/** Reads a page of the log, up to the given position if any. */
export type ReadLog = (options: ReadAllOptions & { readonly upTo?: Position }) => Promise<StoredEvent[]>;

/**
 * Follows the end of the log for every subscriber of this process. New events that any subscriber wants are read once
 * and kept in a buffer. A subscriber that is further behind reads pages from the table. Events that this process has
 * appended itself are not read again: see {@link LogFollower.addCommitted}. New events are read when a subscriber waits
 * for them: while all subscribers are busy, events accumulate for one read (ADR-102).
 */
export class LogFollower {
  private readonly buffer = new EventBuffer();
  private readonly filters = new Set<TypeFilter>();
  /** Types of events that the buffer holds. */
  private wanted: TypeFilter = { types: [] };
  private isWanted = createTypeMatcher(this.wanted);
  /** Position that the log is known to have reached. */
  private knownHead: Position = BEGINNING;
  private readonly waiters = new Set<() => void>();
  private readonly stopping = new AbortController();
  private isReadRequested = false;
  private isConnectionLost = false;
  /** Cause of the last interruption. Each subscriber reports it once. */
  private interruption: Error | null = null;
  private wakeReader: () => void = () => undefined;
  private following: Promise<void> | null = null;

  constructor(
    private readonly options: { connectionString: string; schema: string; log: Log; window?: bigint },
    private readonly readLog: ReadLog,
  ) {
    setMaxListeners(0, this.stopping.signal); // one listener per subscriber
  }

  /** Implements {@link EventStore.subscribe}. */
  async *follow({ types, except, ...options }: SubscribeOptions): AsyncIterable<Batch> {
    const filter = { ...(types && { types }), ...(except && { except }) };
    this.filters.add(filter);
    this.extendFilter(filter);
    this.following ??= this.fillBuffer();
    try {
      yield* this.readPages(filter, options);
    } finally {
      this.filters.delete(filter);
      this.narrowFilter();
    }
  }

  /** Passes pages of the log to a subscriber, and waits for new events at the end of the log. */
  private async *readPages(
    filter: TypeFilter,
    { after, signal, maxBatch = 500, onDrop }: SubscribeOptions,
  ): AsyncIterable<Batch> {
    const isWanted = createTypeMatcher(filter);
    let position = after;
    let isLive = false;
    const backoff = new Backoff();
    let { interruption } = this;
    while (!signal.aborted && !this.stopping.signal.aborted) {
      if (this.interruption && this.interruption !== interruption) onDrop?.((interruption = this.interruption));
      let page: LogPage;
      try {
        page = await this.readPage(position, filter, maxBatch, isLive);
        backoff.reset();
      } catch (error) {
        onDrop?.(error as Error);
        await backoff.wait(signal);
        continue;
      }
      const isNews = page.position > position || (page.isEnd && !isLive);
      isLive = page.isEnd;
      position = page.position;
      if (isNews) yield { events: page.events.filter(({ type }) => isWanted(type)), position, isLive };
      else await this.waitForNews(position, signal);
    }
  }

  /**
   * Adds the events that this process has just committed. Positions are gapless and in commit order. Events that start
   * right after the buffer's head are therefore exactly the events that a read would return. If another process has
   * written in between, only its events are read.
   * @param after position before the first of the events
   * @param end position of the last event
   * @param createEvents creates the wanted events, in order
   */
  addCommitted(
    after: Position,
    end: Position,
    createEvents: (isWanted: (type: string) => boolean) => StoredEvent[],
  ): void {
    if (this.buffer.start === null || end <= this.buffer.head) return; // no subscriber, or already read
    if (this.buffer.addRange({ after, end, events: createEvents(this.isWanted) })) return this.wakeSubscribers();
    if (end > this.knownHead) this.knownHead = end;
    this.wakeReader();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.wakeReader();
    await this.following;
  }

  /** Adds a subscriber's types to the buffer's filter. Earlier events of these types are read from the table. */
  private extendFilter(filter: TypeFilter): void {
    if (coversFilter(this.wanted, filter)) return;
    this.wanted = mergeFilters(this.wanted, filter);
    this.isWanted = createTypeMatcher(this.wanted);
    if (this.buffer.start === null) return;
    if (this.buffer.knownEnd > this.knownHead) this.knownHead = this.buffer.knownEnd;
    this.buffer.reset(this.buffer.head);
    this.requestRead();
  }

  /** Stops buffering events that no remaining subscriber wants. */
  private narrowFilter(): void {
    const wanted = [...this.filters].reduce(mergeFilters, { types: [] });
    if (coversFilter(wanted, this.wanted)) return;
    this.wanted = wanted;
    this.isWanted = createTypeMatcher(wanted);
  }

  /** Reads the events after a position, from the buffer or from the table. */
  private async readPage(after: Position, filter: TypeFilter, limit: number, isLive: boolean): Promise<LogPage> {
    const page = this.buffer.readAfter(after, limit) ?? (await this.readBeforeBuffer(after, filter, limit));
    if (page.events.length > 0 || !page.isEnd || isLive) return page;
    // The buffer may lag slightly, so the table decides when the subscriber first reaches the end.
    return this.readFromTable(page.position, filter, limit);
  }

  /** Reads the events after a position that lies before the buffer. */
  private async readBeforeBuffer(after: Position, filter: TypeFilter, limit: number): Promise<LogPage> {
    const { start } = this.buffer;
    if (start === null) return this.readFromTable(after, {}, limit);
    // With a type filter, a page may take a long search, so each read is limited to a window of positions.
    const isPart = filter.types !== undefined || filter.except !== undefined;
    const windowEnd = after + (this.options.window ?? SEARCH_WINDOW);
    const upTo = isPart && windowEnd < start ? windowEnd : start;
    const events = await this.readLog({ ...filter, after, upTo, limit });
    const position = isFullPage(events, limit) ? events.at(-1)!.position : upTo;
    return { events, position, isEnd: false };
  }

  private async readFromTable(after: Position, filter: TypeFilter, limit: number): Promise<LogPage> {
    const events = await this.readLog({ ...filter, after, limit });
    return { events, position: events.at(-1)?.position ?? after, isEnd: !isFullPage(events, limit) };
  }

  /** Waits until there may be an event after a position. */
  private waitForNews(position: Position, signal: AbortSignal): Promise<void> {
    if (this.buffer.start === null || this.buffer.head > position) {
      return sleepUnlessAborted(this.buffer.start === null ? 25 : 0, signal);
    }
    // If the signal was aborted during a read, a listener added now would never be called.
    if (signal.aborted || this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.waiters.delete(done);
        signal.removeEventListener('abort', done);
        this.stopping.signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiters.add(done);
      this.wakeReader();
      signal.addEventListener('abort', done);
      this.stopping.signal.addEventListener('abort', done);
    });
  }

  /** Reads new events into the buffer and wakes the subscribers, until {@link close}. Resumes after every outage. */
  private async fillBuffer(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff();
    while (!signal.aborted) {
      let client: pg.Client | null = null;
      try {
        client = await this.listen();
        this.knownHead = await this.readHead(client);
        this.buffer.reset(this.knownHead); // subscribers before this position read pages until they have caught up
        this.wakeSubscribers();
        backoff.reset();
        while (!signal.aborted) {
          const hasMore = await this.readNewEvents();
          if (!hasMore && !(await this.waitForDemand())) this.knownHead = await this.readHead(client);
          if (this.isConnectionLost) throw new Error('the listening connection was lost');
        }
      } catch (error) {
        this.options.log.warn(
          { reason: reasonOf(error) },
          'lost the subscription to the event log; it resumes automatically',
        );
        if (this.buffer.start !== null) this.interruption = error as Error;
        this.buffer.deactivate();
        this.wakeSubscribers();
        await backoff.wait(signal);
      } finally {
        await client?.end().catch(() => undefined);
      }
    }
  }

  /**
   * Reads a page of new events, up to the last range that is already known. One read fills all gaps: two processes that
   * append alternately leave many gaps, and with one read per gap, a busy subscriber would get only a few events at a
   * time.
   * @returns true if more events are known to follow
   */
  private async readNewEvents(): Promise<boolean> {
    const { wanted, knownHead } = this;
    const { head, lastGapEnd: gapEnd } = this.buffer;
    if (gapEnd === null) this.isReadRequested = false; // with a gap, the notification may be about later events
    if (gapEnd === null && knownHead <= head) return false;
    const upTo = gapEnd ?? knownHead;
    const events = await this.readLog({ ...wanted, after: head, upTo, limit: PAGE_EVENTS });
    if (wanted !== this.wanted) return true; // a subscriber has extended the filter in the meantime
    const isFull = isFullPage(events, PAGE_EVENTS);
    const end = isFull ? events.at(-1)!.position : upTo;
    if (this.buffer.addRange({ after: head, end, events })) this.wakeSubscribers();
    if (events.length === 0 && !isFull && gapEnd === null)
      await sleepUnlessAborted(UNWANTED_PAUSE_MS, this.stopping.signal);
    return isFull;
  }

  private async listen(): Promise<pg.Client> {
    const { connectionString, schema } = this.options;
    const client = new pg.Client({
      connectionString,
      application_name: 'crosspost log follower',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    this.isConnectionLost = false;
    const lost = () => {
      this.isConnectionLost = true;
      this.wakeReader();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => {
      // If this process made the append, its result arrives together with the notification and is handled first, so
      // that nothing is left to read.
      setImmediate(() => {
        const head = BigInt(payload);
        if (head <= this.buffer.knownEnd) return;
        if (head > this.knownHead) this.knownHead = head;
        this.requestRead();
      });
    });
    await client.connect();
    await client.query(`listen ${schema}`);
    return client;
  }

  private async readHead(client: pg.Client): Promise<Position> {
    const { rows } = await client.query<{ position: string }>(
      `select ${this.options.schema}.head_position() as position`,
    );
    return BigInt(rows[0]!.position);
  }

  /** Records that there are new events, and wakes the reader. */
  private requestRead(): void {
    this.isReadRequested = true;
    this.wakeReader();
  }

  /**
   * Waits until there may be new events that a subscriber waits for, the connection is lost, or the poll interval ends.
   * @returns false if the poll interval passed without new events
   */
  private async waitForDemand(): Promise<boolean> {
    const until = performance.now() + POLL_MS;
    while (!this.isConnectionLost && !this.stopping.signal.aborted) {
      const hasNews = this.isReadRequested || this.buffer.lastGapEnd !== null;
      if (hasNews && this.waiters.size > 0) return true;
      const ms = until - performance.now();
      if (ms <= 0) return hasNews;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.wakeReader = () => undefined;
    }
    return true;
  }

  private wakeSubscribers(): void {
    for (const wake of [...this.waiters]) wake();
  }
}
