import { sleepUnlessAborted } from './sleep.js';

/** Bounds of a delay that grows with each failure, in ms. */
export interface BackoffBounds {
  /** Delay after the first failure. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Returns the delay after a failure, in ms: twice the previous delay, up to the maximum.
 * @param failures number of earlier consecutive failures
 */
export const backoffDelay = ({ firstMs, longestMs }: BackoffBounds, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** failures);

/** Returns a random delay after a write conflict on a stream, in ms: up to 5 ms per consecutive conflict. */
export const conflictDelay = (conflicts: number): number => Math.random() * 5 * conflicts;

/**
 * Waits between attempts after repeated failures. The delays grow as described at {@link backoffDelay}. Each is cut by
 * a random amount, up to half, so that callers that failed together do not retry together.
 */
export class Backoff {
  private failures = 0;

  /** @param bounds default: 50 ms to 5 s */
  constructor(private readonly bounds: BackoffBounds = { firstMs: 50, longestMs: 5_000 }) {}

  /** Returns to the first delay. Call it after a success. */
  reset(): void {
    this.failures = 0;
  }

  /**
   * Counts a failure and returns the delay after it, in ms.
   * @param ranMs how long the attempt ran before it failed; if it ran for the maximum delay or longer, earlier failures
   * no longer count
   */
  nextDelay(ranMs = 0): number {
    if (ranMs >= this.bounds.longestMs) this.reset();
    return backoffDelay(this.bounds, this.failures++) * (0.5 + Math.random() / 2);
  }

  /** Counts a failure and waits. Resolves at once when the signal is aborted. @param ranMs as for {@link nextDelay} */
  wait(signal: AbortSignal, ranMs = 0): Promise<void> {
    return sleepUnlessAborted(this.nextDelay(ranMs), signal);
  }
}
