import { sleepUnlessAborted } from './sleep.js';

/** Bounds of a delay that grows with every failure, in ms. */
export interface BackoffBounds {
  /** Delay after the first failure. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the delay after a failure, in ms: twice the one before, up to the longest. @param failures earlier ones in a row */
export const backoffDelay = ({ firstMs, longestMs }: BackoffBounds, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** failures);

/** Returns a random delay after a lost race for a stream, in ms: up to 5 ms for each race lost in a row. */
export const conflictDelay = (conflicts: number): number => Math.random() * 5 * conflicts;

/**
 * Waits between tries of what fails again and again. The delays grow as {@link backoffDelay} says. Up to half of each is
 * left out at random, so that callers that failed together do not try again together.
 */
export class Backoff {
  private failures = 0;

  /** @param bounds default: 50 ms to 5 s */
  constructor(private readonly bounds: BackoffBounds = { firstMs: 50, longestMs: 5_000 }) {}

  /** Starts again with the first delay; to be called after a success. */
  reset(): void {
    this.failures = 0;
  }

  /**
   * Counts a failure and returns the delay after it, in ms.
   * @param ranMs time that the try has run before it failed; one that ran for the longest delay was a success until then
   */
  nextDelay(ranMs = 0): number {
    if (ranMs >= this.bounds.longestMs) this.reset();
    return backoffDelay(this.bounds, this.failures++) * (0.5 + Math.random() / 2);
  }

  /** Counts a failure and waits. Resolves at once when the signal is aborted. @param ranMs as {@link nextDelay} takes it */
  wait(signal: AbortSignal, ranMs = 0): Promise<void> {
    return sleepUnlessAborted(this.nextDelay(ranMs), signal);
  }
}
