import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  excludeSystemEvents,
  type KurrentDBClient,
  type ReadPosition,
} from '@kurrent/kurrentdb-client';
import type { Batch, Position, StoredEvent } from '../port.js';
import { CallTimeout } from './call-timeout.js';
import { isSystemEvent, toStoredEvent } from './event-text.js';

/** Bounds of the buffer for a slow reader. When it is full, the server waits during catch-up, and drops a live subscription. */
const MAX_EVENTS = 4_096;
const MAX_BYTES = 32 * 1_048_576;
/** The server reports its progress after every 32 events times this number. */
const CHECKPOINT_INTERVAL = 32;

/** Source and filter of a feed. */
export interface FeedOptions {
  readonly client: KurrentDBClient;
  readonly start: ReadPosition;
  /** Events up to this position are left out, wherever the subscription starts. */
  readonly after: Position;
  /** True for the types of events that the reader receives. */
  readonly isWanted: (type: string) => boolean;
  /** Time limit for the server to confirm the subscription, in ms. */
  readonly timeoutMs: number;
}

/**
 * One subscription on the server, with a buffer. Events are buffered as they arrive, because the server drops a live
 * consumer that is 32 events behind, and they are read in batches. Types are filtered here and not by the server, which
 * would report its progress only now and then. A feed ends once, with or without an error; events that it has buffered
 * can still be read.
 */
export class Feed {
  private readonly subscription: AllStreamSubscription;
  private readonly confirmationTimeout: NodeJS.Timeout;
  private buffer: StoredEvent[] = [];
  private bufferedBytes = 0;
  /** Position up to which all events were received. */
  private seen: Position;
  private isCaughtUp = false;
  private reported: Pick<Batch, 'position' | 'isLive'>;
  private ending: { readonly error: Error | undefined } | undefined;
  private wake: () => void = () => undefined;

  constructor(private readonly options: FeedOptions) {
    this.seen = options.after;
    this.reported = { position: options.after, isLive: false };
    this.confirmationTimeout = setTimeout(
      () => this.end(new CallTimeout('subscribe', options.timeoutMs)),
      options.timeoutMs,
    );
    this.subscription = options.client.subscribeToAll({
      fromPosition: options.start,
      filter: excludeSystemEvents({
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, { commit }) => this.handleInOrder(() => this.advanceTo(commit)),
      }),
    });
    this.subscription.on('readable', () => this.readEvents(false));
    this.subscription.on('confirmation', () => clearTimeout(this.confirmationTimeout));
    this.subscription.on('caughtUp', () => this.handleInOrder(() => (this.isCaughtUp = true)));
    this.subscription.on('fellBehind', () => this.handleInOrder(() => (this.isCaughtUp = false)));
    this.subscription.on('error', (error: Error) => this.handleInOrder(() => this.end(error))); // may occur after the end, too
    this.subscription.on('end', () => this.end());
    this.subscription.on('close', () => this.end());
  }

  /** Error that ended the feed; undefined if it ended without one or has not ended. */
  get error(): Error | undefined {
    return this.ending?.error;
  }

  /** Waits for the next batch; undefined if the feed has ended and everything was read. */
  async readBatch(maxBatch: number): Promise<Batch | undefined> {
    for (;;) {
      const hasNews =
        this.buffer.length > 0 || this.seen > this.reported.position || (this.isCaughtUp && !this.reported.isLive);
      if (hasNews) return this.takeBatch(maxBatch);
      if (this.ending) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Ends the feed and the subscription on the server. */
  end(error?: Error): void {
    if (this.ending) return;
    this.ending = { error };
    clearTimeout(this.confirmationTimeout);
    this.subscription.unsubscribe().catch(() => undefined);
    this.wake();
  }

  private takeBatch(maxBatch: number): Batch {
    const events = this.buffer.slice(0, maxBatch);
    this.buffer = this.buffer.slice(maxBatch);
    for (const event of events) this.bufferedBytes -= textLength(event);
    const isEmpty = this.buffer.length === 0;
    const last = events.at(-1);
    this.reported = { position: isEmpty || !last ? this.seen : last.position, isLive: isEmpty && this.isCaughtUp };
    this.readEvents(false);
    return { events, ...this.reported };
  }

  /** Handles a signal. It may overtake events that wait in the stream: those are read first, even if the buffer is full. */
  private handleInOrder(handle: () => void): void {
    this.readEvents(true);
    handle();
    this.wake();
  }

  private readEvents(ignoreLimit: boolean): void {
    while (!this.ending && (ignoreLimit || (this.buffer.length < MAX_EVENTS && this.bufferedBytes < MAX_BYTES))) {
      const resolved = this.subscription.read() as AllStreamResolvedEvent | null;
      if (!resolved) break;
      if (resolved.event) this.add(resolved.event);
    }
    this.wake();
  }

  private add(event: AllStreamRecordedEvent): void {
    if (event.position.commit <= this.seen) return;
    this.advanceTo(event.position.commit);
    if (isSystemEvent(event) || !this.options.isWanted(event.type)) return;
    const stored = toStoredEvent(event);
    this.buffer.push(stored);
    this.bufferedBytes += textLength(stored);
  }

  private advanceTo(position: Position): void {
    if (position > this.seen) this.seen = position;
  }
}

const textLength = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;
