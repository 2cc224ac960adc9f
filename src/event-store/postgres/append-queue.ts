import { type AppendCondition, type AppendResult, MAX_TOGETHER_BYTES, type StreamAppend } from '../port.js';

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
