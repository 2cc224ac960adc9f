import {
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  excludeSystemEvents,
  type KurrentDBClient,
  type ReadPosition,
} from '@kurrent/kurrentdb-client';
import type { Batch, Position, StoredEvent } from '../port.js';
import { TimedOut } from './call-timer.js';
import { isSystemEvent, toStoredEvent } from './event-text.js';

/** What is kept for a slow reader before the server has to wait: it does while we catch up, and drops us live. */
const MAX_EVENTS = 4_096;
const MAX_BYTES = 32 * 1_048_576;
/** The server tells how far it has looked after every so many times 32 events. */
const CHECKPOINT_INTERVAL = 32;

/** What a feed subscribes to. */
export interface FeedOptions {
  readonly client: KurrentDBClient;
  readonly start: ReadPosition;
  /** Events up to here are left out, wherever the subscription starts. */
  readonly after: Position;
  /** Only events of such types are handed out. */
  readonly isWanted: (type: string) => boolean;
  /** How long the server may take to confirm the subscription, ms. */
  readonly timeoutMs: number;
}

/**
 * One subscription on the server and the buffer behind it. Events are taken in as they come, because a live consumer
 * that is 32 events behind is dropped, and handed out in batches. Types are picked here and not by the server, which
 * would say only now and then how far it has come. A feed ends once, with an error or without; what it took in before
 * is still handed out.
 */
export class Feed {
  private readonly subscription: AllStreamSubscription;
  private readonly confirmation: NodeJS.Timeout;
  private buffer: StoredEvent[] = [];
  private bufferedBytes = 0;
  /** Everything up to here has been taken in. */
  private seen: Position;
  private caughtUp = false;
  private told: Pick<Batch, 'position' | 'live'>;
  private over: { readonly error: Error | undefined } | undefined;
  private wake: () => void = () => undefined;

  constructor(private readonly options: FeedOptions) {
    this.seen = options.after;
    this.told = { position: options.after, live: false };
    this.confirmation = setTimeout(() => this.end(new TimedOut('subscribe', options.timeoutMs)), options.timeoutMs);
    this.subscription = options.client.subscribeToAll({
      fromPosition: options.start,
      filter: excludeSystemEvents({
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, { commit }) => this.inOrder(() => this.saw(commit)),
      }),
    });
    this.subscription.on('readable', () => this.takeIn(false));
    this.subscription.on('confirmation', () => clearTimeout(this.confirmation));
    this.subscription.on('caughtUp', () => this.inOrder(() => (this.caughtUp = true)));
    this.subscription.on('fellBehind', () => this.inOrder(() => (this.caughtUp = false)));
    this.subscription.on('error', (error: Error) => this.inOrder(() => this.end(error))); // may come after the end, too
    this.subscription.on('end', () => this.end());
    this.subscription.on('close', () => this.end());
  }

  /** What it ended with; undefined for a clean end or none yet. */
  get error(): Error | undefined {
    return this.over?.error;
  }

  /** The next batch as soon as there is news; undefined when the feed has ended and everything was handed out. */
  async next(maxBatch: number): Promise<Batch | undefined> {
    for (;;) {
      const news = this.buffer.length > 0 || this.seen > this.told.position || (this.caughtUp && !this.told.live);
      if (news) return this.handOut(maxBatch);
      if (this.over) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Ends the feed and the subscription on the server. */
  end(error?: Error): void {
    if (this.over) return;
    this.over = { error };
    clearTimeout(this.confirmation);
    this.subscription.unsubscribe().catch(() => undefined);
    this.wake();
  }

  private handOut(maxBatch: number): Batch {
    const events = this.buffer.slice(0, maxBatch);
    this.buffer = this.buffer.slice(maxBatch);
    for (const event of events) this.bufferedBytes -= size(event);
    const all = this.buffer.length === 0;
    const last = events.at(-1);
    this.told = { position: all || !last ? this.seen : last.position, live: all && this.caughtUp };
    this.takeIn(false);
    return { events, ...this.told };
  }

  /** Signals are raised ahead of events that wait in the stream: those are taken in first, full or not. */
  private inOrder(signal: () => void): void {
    this.takeIn(true);
    signal();
    this.wake();
  }

  private takeIn(evenIfFull: boolean): void {
    while (!this.over && (evenIfFull || (this.buffer.length < MAX_EVENTS && this.bufferedBytes < MAX_BYTES))) {
      const resolved = this.subscription.read() as AllStreamResolvedEvent | null;
      if (!resolved) break;
      if (resolved.event) this.add(resolved.event);
    }
    this.wake();
  }

  private add(event: AllStreamRecordedEvent): void {
    if (event.position.commit <= this.seen) return;
    this.saw(event.position.commit);
    if (isSystemEvent(event) || !this.options.isWanted(event.type)) return;
    const stored = toStoredEvent(event);
    this.buffer.push(stored);
    this.bufferedBytes += size(stored);
  }

  private saw(position: Position): void {
    if (position > this.seen) this.seen = position;
  }
}

const size = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;
