import { BEGINNING, type Position, type StoredEvent } from '../port.js';

/** The wanted events of a stretch of the log: all of them that stand behind a position, up to another one. */
export interface Stretch {
  readonly after: Position;
  /** Every event up to here is in the log, wanted or not. */
  readonly end: Position;
  readonly events: readonly StoredEvent[];
}

/** What a reader is handed, and how far it has come with that. */
export interface Handed {
  readonly events: readonly StoredEvent[];
  readonly position: Position;
  /** Nothing more is known of. */
  readonly isEnd: boolean;
}

const MAX_EVENTS = 4_096;
const MAX_BYTES = 32 * 1_048_576;

/** The end of the log in memory, without a gap; and what is known to come behind one. */
export class Ring {
  private readonly events: StoredEvent[] = [];
  private bytes = 0;
  private from: Position | null = null;
  private to: Position = BEGINNING;
  private readonly ahead: Stretch[] = [];
  private eventsAhead = 0;

  /** It holds everything after this position; null while nobody fills it. */
  get start(): Position | null {
    return this.from;
  }

  /** It has come as far as this: every event up to here has passed through it, or lay before its start. */
  get head(): Position {
    return this.to;
  }

  /** Where what is known ahead begins: what comes before is missing. Null: nothing is ahead. */
  get gap(): Position | null {
    return this.ahead[0]?.after ?? null;
  }

  /** Up to here nothing but the gaps is news. */
  get known(): Position {
    return this.ahead.at(-1)?.end ?? this.to;
  }

  /** Begins anew at a position, empty. */
  reset(head: Position): void {
    this.from = this.to = head;
    this.events.length = this.bytes = 0;
    this.dropAhead();
  }

  /** Nobody fills it any more. */
  giveUp(): void {
    this.from = null;
  }

  isBehind(position: Position): boolean {
    return this.from === null || position < this.from;
  }

  /** Takes a stretch up, or keeps it for later where something is missing before it. @returns whether the head has moved */
  add(stretch: Stretch): boolean {
    if (this.from === null || stretch.end <= this.to) return false;
    if (stretch.after > this.to) {
      this.keepAhead(stretch);
      return false;
    }
    this.takeUp(stretch);
    while (this.ahead[0] && this.ahead[0].after <= this.to) {
      const next = this.ahead.shift()!;
      this.eventsAhead -= next.events.length;
      if (next.end > this.to) this.takeUp(next);
    }
    return true;
  }

  /** What stands after a position; null where the ring does not reach back so far. */
  read(after: Position, limit: number): Handed | null {
    if (this.isBehind(after)) return null;
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.position <= after) low = middle + 1;
      else high = middle;
    }
    const events = this.events.slice(low, low + limit);
    if (events.length === limit) return { events, position: events.at(-1)!.position, isEnd: false };
    return { events, position: this.to > after ? this.to : after, isEnd: true };
  }

  /** Too much is not kept until what stands before it is read: it will be read as well. */
  private keepAhead({ after, end, events }: Stretch): void {
    const last = this.ahead.at(-1);
    if (this.eventsAhead + events.length > MAX_EVENTS) return this.dropAhead();
    this.eventsAhead += events.length;
    if (last?.end !== after) this.ahead.push({ after, end, events });
    else this.ahead.splice(-1, 1, { after: last.after, end, events: [...last.events, ...events] });
  }

  private dropAhead(): void {
    this.ahead.length = this.eventsAhead = 0;
  }

  private takeUp({ after, end, events }: Stretch): void {
    const fresh = after === this.to ? events : events.filter(({ position }) => position > this.to);
    this.to = end;
    this.events.push(...fresh);
    for (const { data, metadata } of fresh) this.bytes += data.length + metadata.length;
    let cut = 0;
    while (this.events.length - cut > MAX_EVENTS || this.bytes > MAX_BYTES) {
      const { data, metadata, position } = this.events[cut++]!;
      this.bytes -= data.length + metadata.length;
      this.from = position;
    }
    if (cut > 0) this.events.splice(0, cut);
  }
}
