import { indexAfter } from '../index-after.js';
import { takePage } from '../page-size.js';
import { BEGINNING, type Position, type StoredEvent } from '../port.js';

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
