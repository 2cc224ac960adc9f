import { indexAfter } from '../aggregate-reader.js';
import {
  type AppendCondition,
  type AppendResult,
  BEGINNING,
  MAX_TOGETHER_BYTES,
  type Position,
  type StoredEvent,
  type StreamAppend,
  takePage,
} from '../port.js';

/** An append, and the functions that settle it. Settling it again has no effect. */
export interface Append {
  /** One part for each stream, in order; either all are written or none. */
  readonly parts: readonly [StreamAppend, ...StreamAppend[]];
  /** Total number of events in all parts. */
  readonly count: number;
  readonly condition: AppendCondition | null;
  readonly bytes: number;
  /** `performance.now()` timestamp, in ms. */
  readonly arrivedAt: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** Maximum number of waiting appends and bytes. */
export interface QueueBounds {
  readonly appends: number;
  readonly bytes: number;
}

const MAX_BATCH_EVENTS = 1_000;
const MAX_BATCH_BYTES = MAX_TOGETHER_BYTES;

/** Appends waiting to be sent, in order of arrival. None of them has been written. */
export class AppendQueue {
  private waiting: Append[] = [];
  private bytes = 0;

  constructor(private readonly bounds: QueueBounds) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Arrival time of the longest-waiting append; null if none is waiting. */
  get oldestArrival(): number | null {
    return this.waiting[0]?.arrivedAt ?? null;
  }

  /** Adds an append. @returns false if the queue is full */
  add(append: Append): boolean {
    if (this.waiting.length >= this.bounds.appends || this.bytes + append.bytes > this.bounds.bytes) return false;
    this.waiting.push(append);
    this.bytes += append.bytes;
    return true;
  }

  /**
   * Takes the next batch, in order. It contains each stream at most once: a second append waits for the outcome of the
   * first. If an append does not fit, all later appends wait too, because an import relies on the order.
   */
  takeBatch(): Append[] {
    const batch: Append[] = [];
    const later: Append[] = [];
    const streams = new Set<string>();
    let events = 0;
    let bytes = 0;
    let isFull = false;
    for (const append of this.waiting) {
      const fits = events + append.count <= MAX_BATCH_EVENTS && bytes + append.bytes <= MAX_BATCH_BYTES;
      isFull ||= !fits && batch.length > 0;
      const isTaken = append.parts.some(({ stream }) => streams.has(stream));
      if (isTaken || isFull) later.push(append);
      else {
        batch.push(append);
        events += append.count;
        bytes += append.bytes;
      }
      for (const { stream } of append.parts) streams.add(stream);
    }
    this.waiting = later;
    this.bytes -= bytes;
    return batch;
  }

  /** Takes the appends that arrived at or before the given time. */
  takeArrivedUntil(time: number): Append[] {
    const end = this.waiting.findIndex(({ arrivedAt }) => arrivedAt > time);
    const taken = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    for (const { bytes } of taken) this.bytes -= bytes;
    return taken;
  }
}

/** All matching events in a range of the log. */
interface LogRange {
  readonly after: Position;
  /** Inclusive. */
  readonly end: Position;
  readonly events: readonly StoredEvent[];
}

/** Events for a reader, and the reader's position after reading them. */
export interface LogPage {
  readonly events: readonly StoredEvent[];
  readonly position: Position;
  /** True if no later event is known. */
  readonly isEnd: boolean;
}

const MAX_EVENTS = 4_096;
const MAX_BYTES = 32 * 1_048_576;

/** Holds the newest events of the log in memory, without gaps, and later ranges that follow a gap. */
export class EventBuffer {
  private readonly events: StoredEvent[] = [];
  private bytes = 0;
  private from: Position | null = null;
  private to: Position = BEGINNING;
  private readonly ahead: LogRange[] = [];
  private eventsAhead = 0;
  private bytesAhead = 0;

  /** Position after which the buffer holds every wanted event; null while the buffer is inactive. */
  get start(): Position | null {
    return this.from;
  }

  /** Position up to which the buffer is complete. */
  get head(): Position {
    return this.to;
  }

  /** Position at which the last gap ends: reading up to it fills all gaps. Null if there is no gap. */
  get lastGapEnd(): Position | null {
    return this.ahead.at(-1)?.after ?? null;
  }

  /** Position up to which everything except the gaps is known. */
  get knownEnd(): Position {
    return this.ahead.at(-1)?.end ?? this.to;
  }

  /** Empties the buffer and starts it at a position. */
  reset(head: Position): void {
    this.from = this.to = head;
    this.events.length = this.bytes = 0;
    this.clearAhead();
  }

  /** Marks the buffer as inactive: it is no longer filled. */
  deactivate(): void {
    this.from = null;
  }

  isBehind(position: Position): boolean {
    return this.from === null || position < this.from;
  }

  /** Appends a range, or stores it for later if events before it are missing. @returns true if the head has moved */
  addRange(range: LogRange): boolean {
    if (this.from === null || range.end <= this.to) return false;
    if (range.after > this.to) {
      this.storeAhead(range);
      return false;
    }
    this.appendRange(range);
    while (this.ahead[0] && this.ahead[0].after <= this.to) {
      const next = this.ahead.shift()!;
      this.eventsAhead -= next.events.length;
      this.bytesAhead -= sizeOf(next.events);
      if (next.end > this.to) this.appendRange(next);
    }
    return true;
  }

  /** Returns the events after a position; null if the buffer does not reach back that far. */
  readAfter(after: Position, limit: number): LogPage | null {
    if (this.isBehind(after)) return null;
    const start = indexAfter(this.events, after);
    const events = takePage(this.events.slice(start, start + limit), limit);
    if (start + events.length < this.events.length) return { events, position: events.at(-1)!.position, isEnd: false };
    return { events, position: this.to > after ? this.to : after, isEnd: true };
  }

  /** Stores a range after a gap. If these ranges grow too large, all are dropped and later read from the table. */
  private storeAhead({ after, end, events }: LogRange): void {
    const last = this.ahead.at(-1);
    const bytes = sizeOf(events);
    if (this.eventsAhead + events.length > MAX_EVENTS || this.bytesAhead + bytes > MAX_BYTES) return this.clearAhead();
    this.eventsAhead += events.length;
    this.bytesAhead += bytes;
    if (last?.end !== after) this.ahead.push({ after, end, events });
    else this.ahead.splice(-1, 1, { after: last.after, end, events: [...last.events, ...events] });
  }

  private clearAhead(): void {
    this.ahead.length = this.eventsAhead = this.bytesAhead = 0;
  }

  private appendRange({ after, end, events }: LogRange): void {
    const fresh = after === this.to ? events : events.filter(({ position }) => position > this.to);
    this.to = end;
    this.events.push(...fresh);
    this.bytes += sizeOf(fresh);
    let cut = 0;
    while (this.events.length - cut > MAX_EVENTS || this.bytes > MAX_BYTES) {
      const { data, metadata, position } = this.events[cut++]!;
      this.bytes -= data.length + metadata.length;
      this.from = position;
    }
    if (cut > 0) this.events.splice(0, cut);
  }
}

const sizeOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
