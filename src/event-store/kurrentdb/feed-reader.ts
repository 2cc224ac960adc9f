import type { Batch, Position } from '../port.js';
import type { LogFeed } from './log-feed.js';

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
