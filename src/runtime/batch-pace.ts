/**
 * Spaces out the batches of a steady stream. A burst starts at once; then one batch may start per interval. Otherwise,
 * the fixed costs of many small batches would use up the CPU time.
 */
export class BatchPace {
  /** `performance.now()` timestamp, in ms, at which the full burst is available again if no more batches start. */
  private freeAt = -Infinity;

  /**
   * @param intervalMs time between the starts of two batches once the burst is used up
   * @param burst number of batches that may start without a pause, at least 1; one is regained per interval
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
