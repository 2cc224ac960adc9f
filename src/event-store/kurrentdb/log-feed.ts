import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { indexAfter } from '../aggregate-reader.js';
import {
  type Batch,
  countBytes,
  coversFilter,
  createTypeMatcher,
  MAX_PAGE_BYTES,
  mergeFilters,
  type Position,
  type StoredEvent,
  type TypeFilter,
  Unavailable,
} from '../port.js';
import { CallTimeout } from './errors.js';
import {
  isSystemEvent,
  type ReadMessage,
  type ReadStart,
  type Subscription,
  type SubscriptionListener,
} from './read-call.js';
import type { EventReader } from './reader.js';

/** Reads a feed on behalf of one subscriber. */
export class FeedReader {
  /** Position up to which the reader has read everything. */
  position: Position;
  /** Time of the last batch (`performance.now()`). */
  takenAt = performance.now();
  private isLive = false;
  private hasLeft = false;
  private resolveWait: (() => void) | null = null;

  constructor(
    readonly feed: LogFeed,
    after: Position,
    private readonly isWanted: (type: string) => boolean,
    private readonly isOvertaken: (reader: FeedReader) => boolean,
  ) {
    this.position = after;
  }

  /** True while the reader waits for events. */
  get isWaiting(): boolean {
    return this.resolveWait !== null;
  }

  /**
   * Waits for the next batch. Returns undefined if the feed has ended and the reader has read all of it, if the reader
   * has left or lost its place, or if there is nothing new and another feed is ahead.
   */
  async readBatch(maxBatch: number): Promise<Batch | undefined> {
    while (!this.hasLeft && this.feed.has(this)) {
      const batch = this.feed.read(this.position, this.isWanted, maxBatch);
      const isNews = batch.position > this.position || (batch.isLive && !this.isLive);
      if (isNews) {
        this.position = batch.position;
        this.isLive = batch.isLive;
        this.takenAt = performance.now();
        this.feed.makeRoom();
        return batch;
      }
      if (this.feed.error !== null || this.isOvertaken(this)) return undefined;
      await new Promise<void>((resolve) => (this.resolveWait = resolve));
    }
    return undefined;
  }

  wake(): void {
    this.resolveWait?.();
    this.resolveWait = null;
  }

  leave(): void {
    this.hasLeft = true;
    this.feed.leave(this);
    this.wake();
  }
}

/** Bounds of the window. When it is full, the server waits during catch-up, and drops a live subscription. */
const MAX_EVENTS = 4_096;
const MAX_BYTES = 32 * 1_048_576;
/** Maximum number and bytes of events to keep after every reader has passed them, for readers that join later. */
const KEPT_EVENTS = 1_024;
const KEPT_BYTES = 4 * 1_048_576;

/** How far a feed may be behind a reader that joins it, in positions (bytes of the log). */
const NEAR = 16n * 1_048_576n;
/** How long a new feed waits for other readers that start at the same time, in ms. */
const GATHER_MS = 20;
/** How long a reader may hold up waiting readers without taking a batch, in ms. After that, it loses its place. */
const STALL_MS = 1_000;
/** How often an idle feed checks for excluded events, and its readers check for another feed, in ms. */
const QUIET_MS = 400;

/** Server calls and settings that feeds need. */
export interface FeedContext {
  /** @throws the client's errors if it finds no node of the cluster, or the node does not respond */
  readonly openSubscription: (
    start: ReadStart,
    filter: TypeFilter,
    listener: SubscriptionListener,
  ) => Promise<Subscription>;
  readonly findStart: EventReader['findSubscriptionStart'];
  readonly skipUnwanted: EventReader['skipUnwanted'];
  /** Time limit for the server to confirm a subscription, in ms. */
  readonly timeoutMs: number;
}

/**
 * One subscription on the server for several readers, with a window of the log in memory. The server filters by type.
 * Events are consumed as they arrive, because the server drops a live consumer that falls 32 events behind; readers
 * take them in batches. Readers in the window hold the feed back; a reader that stalls loses its place. A feed ends
 * once, with or without an error, or when its last reader has left; the events in its window can still be read.
 */
export class LogFeed {
  private readonly readers = new Set<FeedReader>();
  private readonly isWanted: (type: string) => boolean;
  private readonly stopping = new AbortController();
  private call: Subscription | null = null;
  private events: StoredEvent[] = [];
  private bytes = 0;
  private from: Position;
  private to: Position;
  private isGathering = true;
  private isCaughtUp = false;
  private isWakeScheduled = false;
  private stall: NodeJS.Timeout | null = null;
  private end: { readonly error: Error | undefined } | null = null;

  constructor(
    after: Position,
    private readonly filter: TypeFilter,
    private readonly context: FeedContext,
    private readonly onEnd: () => void,
  ) {
    this.from = this.to = after;
    this.isWanted = createTypeMatcher(filter);
    void this.run();
  }

  /** Position up to which all events were received. */
  get head(): Position {
    return this.to;
  }

  /** Error that ended the feed; undefined if it ended without an error, null if it has not ended. */
  get error(): Error | undefined | null {
    return this.end ? this.end.error : null;
  }

  /** True if the feed can serve a reader at this position. */
  serves(position: Position, filter: TypeFilter): boolean {
    if (this.end || !coversFilter(this.filter, filter)) return false;
    if (this.isGathering && position < this.from && this.from - position <= NEAR) return true;
    return position >= this.from && position - this.to <= NEAR;
  }

  /**
   * Adds a reader at a position that the feed serves.
   * @param isOvertaken returns true if the reader should join another feed instead
   */
  join(position: Position, filter: TypeFilter, isOvertaken: (reader: FeedReader) => boolean): FeedReader {
    if (position < this.from) this.from = this.to = position; // only while gathering readers
    const reader = new FeedReader(this, position, createTypeMatcher(filter), isOvertaken);
    this.readers.add(reader);
    return reader;
  }

  leave(reader: FeedReader): void {
    if (!this.readers.delete(reader)) return;
    if (this.readers.size === 0) this.stop();
    else this.makeRoom();
  }

  /** True while a reader still has its place in the window. */
  has(reader: FeedReader): boolean {
    return this.readers.has(reader);
  }

  /** Returns the next events for a reader, and the reader's position after reading them. */
  read(after: Position, isWanted: (type: string) => boolean, limit: number): Batch {
    const events: StoredEvent[] = [];
    let bytes = 0;
    for (let index = indexAfter(this.events, after); index < this.events.length; index++) {
      const event = this.events[index] as StoredEvent;
      if (!isWanted(event.type)) continue;
      events.push(event);
      bytes += countBytes(event);
      if (events.length === limit || bytes >= MAX_PAGE_BYTES)
        return { events, position: event.position, isLive: false };
    }
    const isLive = this.isCaughtUp && this.to >= after && !this.end;
    return { events, position: this.to > after ? this.to : after, isLive };
  }

  /** Drops the events that every reader has taken, and lets the server continue. */
  makeRoom(): void {
    let taken = this.to;
    for (const { position } of this.readers) if (position < taken) taken = position;
    let cut = 0;
    let { bytes } = this;
    for (; cut < this.events.length; cut++) {
      const event = this.events[cut] as StoredEvent;
      if (event.position > taken) break;
      if (this.events.length - cut <= KEPT_EVENTS && bytes <= KEPT_BYTES) break;
      bytes -= sizeOf(event);
    }
    if (cut > 0 && (cut >= KEPT_EVENTS / 2 || this.isFull)) {
      this.from = (this.events[cut - 1] as StoredEvent).position;
      this.events = this.events.slice(cut);
      this.bytes = bytes;
    }
    if (!this.isFull) this.resume();
  }

  /** Ends the feed and the subscription on the server. */
  stop(error?: Error): void {
    if (this.end) return;
    this.end = { error };
    this.stopping.abort();
    if (this.stall) clearInterval(this.stall);
    this.call?.cancel();
    this.wakeReaders();
    this.onEnd();
  }

  private get isFull(): boolean {
    return this.events.length >= MAX_EVENTS || this.bytes >= MAX_BYTES;
  }

  private async run(): Promise<void> {
    const { context, stopping } = this;
    try {
      await sleepUnlessAborted(GATHER_MS, stopping.signal);
      this.isGathering = false;
      if (this.end) return;
      const start = await context.findStart(this.from);
      await this.follow(start);
      await this.lookWhileQuiet();
    } catch (error) {
      this.stop(error as Error);
    }
  }

  private async follow(start: ReadStart): Promise<void> {
    const { openSubscription, timeoutMs } = this.context;
    const expiry = setTimeout(() => this.stop(new CallTimeout('subscribe', timeoutMs)), timeoutMs);
    this.stopping.signal.addEventListener('abort', () => clearTimeout(expiry));
    const call = await openSubscription(start, this.filter, {
      onMessage: (message) => {
        if (message.kind === 'confirmation') clearTimeout(expiry);
        this.handle(message);
      },
      onEnd: (error) => this.stop(error ?? new Unavailable('the server ended the subscription')),
    });
    if (this.end) call.cancel();
    else this.call = call;
  }

  private handle(message: ReadMessage): void {
    if (this.end) return;
    if (message.kind === 'event') this.add(message.event);
    else if (message.kind === 'checkpoint') this.advanceTo(message.position);
    else if (message.kind === 'caughtUp') this.isCaughtUp = true;
    else if (message.kind === 'fellBehind') this.isCaughtUp = false;
    this.scheduleWake();
  }

  private add(event: StoredEvent): void {
    if (event.position <= this.to) return; // the subscription may start before the reader, see findSubscriptionStart
    this.to = event.position;
    if (isSystemEvent(event) || !this.isWanted(event.type)) return;
    this.events.push(event);
    this.bytes += sizeOf(event);
    if (this.isFull) this.makeRoom();
    if (this.isFull) this.pause();
  }

  private advanceTo(position: Position): void {
    if (position > this.to) this.to = position;
  }

  private pause(): void {
    if (this.stall || !this.call) return;
    this.call.pause();
    this.stall = setInterval(() => this.removeStalled(), STALL_MS);
  }

  private resume(): void {
    if (!this.stall) return;
    clearInterval(this.stall);
    this.stall = null;
    this.call?.resume();
  }

  /** Removes readers that are not taking batches while others are waiting. They continue with another feed. */
  private removeStalled(): void {
    if (![...this.readers].some(({ isWaiting }) => isWaiting)) return;
    const now = performance.now();
    for (const reader of this.readers)
      if (!reader.isWaiting && now - reader.takenAt > STALL_MS) this.readers.delete(reader);
    this.makeRoom();
  }

  /**
   * Advances the position while only events that the filter excludes are added to the log. The server reports these
   * events only occasionally, so a reader that waits for a position would otherwise wait forever. Readers are woken
   * even if there are no events, because nothing else would make them join another feed.
   */
  private async lookWhileQuiet(): Promise<void> {
    const { signal } = this.stopping;
    const isPart = this.filter.types !== undefined || (this.filter.except ?? []).length > 0;
    for (let before = this.to; !signal.aborted; before = this.to) {
      await sleepUnlessAborted(QUIET_MS, signal);
      if (signal.aborted || !this.isCaughtUp || this.to !== before) continue;
      if (isPart) {
        const position = await this.context.skipUnwanted(before, this.isWanted).catch(() => before);
        if (this.end || this.to !== before) continue;
        this.advanceTo(position);
      }
      this.scheduleWake();
    }
  }

  /** Wakes the readers once for all messages that have arrived together. */
  private scheduleWake(): void {
    if (this.isWakeScheduled) return;
    this.isWakeScheduled = true;
    setImmediate(() => {
      this.isWakeScheduled = false;
      this.wakeReaders();
    });
  }

  private wakeReaders(): void {
    for (const reader of this.readers) reader.wake();
  }
}

const sizeOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

/**
 * The feeds of a process (ADR-129). Readers that are near each other in the log share a feed, so that the log is read
 * and parsed once. A reader that is far from all others has its own feed until it reaches the window of another feed.
 */
export class LogFeeds {
  /** Newest last; the newest has the widest filter. */
  private readonly feeds = new Set<LogFeed>();
  private wanted: TypeFilter = { types: [] };

  constructor(private readonly context: FeedContext) {}

  /** Returns a reader that starts after a position. */
  join(position: Position, filter: TypeFilter): FeedReader {
    this.wanted = mergeFilters(this.wanted, filter);
    const feed = this.find(position, filter) ?? this.create(position);
    return feed.join(position, filter, (reader) => this.isOvertaken(reader, filter));
  }

  /** True if a reader should join another feed that is ahead of the reader's own. */
  isOvertaken({ feed, position }: FeedReader, filter: TypeFilter): boolean {
    const best = this.find(position, filter);
    return best !== undefined && best !== feed && best.head >= feed.head;
  }

  /** Returns the feed that serves a position and is furthest ahead; if there are several, the newest. */
  private find(position: Position, filter: TypeFilter): LogFeed | undefined {
    let best: LogFeed | undefined;
    for (const feed of this.feeds)
      if (feed.serves(position, filter) && (best === undefined || feed.head >= best.head)) best = feed;
    return best;
  }

  private create(position: Position): LogFeed {
    const feed = new LogFeed(position, this.wanted, this.context, () => this.feeds.delete(feed));
    this.feeds.add(feed);
    return feed;
  }
}
