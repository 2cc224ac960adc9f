/**
 * Spaces the batches of a steady stream. A burst passes at once; if batches keep coming, one may start per interval. Small
 * batches that follow each other without a pause would otherwise use all the CPU time that their fixed costs can fill.
 */
export class BatchPace {
  /** Time by `performance.now()` at which the burst would be available again if no more batches came, in ms. */
  private freeAt = -Infinity;

  /**
   * @param intervalMs between the starts of two batches once the burst is used up
   * @param burst batches that may follow each other without a pause, at least 1; one is regained per interval
   */
  constructor(
    private readonly intervalMs: number,
    private readonly burst: number,
  ) {}

  /** Records that a batch starts now. */
  record(now = performance.now()): void {
    this.freeAt = Math.max(this.freeAt, now) + this.intervalMs;
  }

  /** Returns the ms until the next batch may start; 0 if it may start at once. */
  delay(now = performance.now()): number {
    return Math.max(0, this.freeAt - now - (this.burst - 1) * this.intervalMs);
  }
}
