import { setTimeout as sleep } from 'node:timers/promises';

/** A batch of so many came from callers side by side, not from one who waits for each answer. */
const CROWD = 4;

/**
 * Keeps the batches of a crowd apart. A call to the database has a price of its own, whatever it holds: callers by the
 * thousand would each second buy it hundreds of times for a handful of items. Whoever calls alone never waits.
 */
export class Spacing {
  private notBefore = 0;

  /** @param ms from the beginning of a crowd's batch to that of the next */
  constructor(private readonly ms: number) {}

  /** Resolves once the next batch may begin; of several who wait the first to say {@link began} goes, the others wait on. */
  async turn(): Promise<void> {
    for (let ms = this.wait(); ms > 0; ms = this.wait()) await sleep(ms);
  }

  /** A batch of so many items begins now. */
  began(size: number): void {
    this.notBefore = size < CROWD ? 0 : performance.now() + this.ms;
  }

  private wait(): number {
    return this.notBefore - performance.now();
  }
}
