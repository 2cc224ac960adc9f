import { setTimeout as sleep } from 'node:timers/promises';

/** A batch of this size or more comes from concurrent callers, not from one caller that waits for each result. */
const CONCURRENT_BATCH_SIZE = 4;

/**
 * Minimum interval between the batches of concurrent callers. A call to the database has a fixed cost, whatever the
 * batch contains. Without the interval, thousands of callers would pay it hundreds of times a second for a few items
 * each. A single caller never waits.
 */
export class BatchInterval {
  private earliestStart = 0;

  /** @param ms from the start of a batch of concurrent callers to the start of the next batch */
  constructor(private readonly ms: number) {}

  /** Waits until the next batch may start. If several wait, the first one that calls {@link recordBatch} starts and the others wait again. */
  async waitForNextBatch(): Promise<void> {
    for (let ms = this.remainingMs(); ms > 0; ms = this.remainingMs()) await sleep(ms);
  }

  /** Records that a batch of this size starts now. */
  recordBatch(size: number): void {
    this.earliestStart = size < CONCURRENT_BATCH_SIZE ? 0 : performance.now() + this.ms;
  }

  private remainingMs(): number {
    return this.earliestStart - performance.now();
  }
}
