import { setTimeout as sleep } from 'node:timers/promises';

/** A batch of at least this size comes from concurrent callers, not from one caller that waits for each result. */
const CONCURRENT_BATCH_SIZE = 4;

/**
 * Minimum interval between the batches of concurrent callers. Each call to the database has a fixed cost, which
 * thousands of callers would otherwise pay hundreds of times a second for a few items each. A single caller never
 * waits.
 */
export class BatchInterval {
  private earliestStart = 0;

  /** @param ms minimum time from the start of a batch of concurrent callers to the start of the next batch */
  constructor(private readonly ms: number) {}

  /**
   * Waits until the next batch may start. If several callers are waiting, the first one to call {@link recordBatch}
   * starts the batch.
   */
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
