import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** Exponential waits with full jitter, 50 ms at most at first and 5 s in the end. */
export class Backoff {
  private failures = 0;

  /** To be called after a success: the next wait is a short one again. */
  reset(): void {
    this.failures = 0;
  }

  /** Waits; an aborted signal ends it at once. */
  async wait(signal: AbortSignal): Promise<void> {
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    await sleep(Math.random() * longest, undefined, { signal }).catch(() => undefined);
  }
}
