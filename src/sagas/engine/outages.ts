import { Unavailable } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { findLastingError, isUnavailable } from '../../postgres/unavailable.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** True if the event store or the database is unavailable, or rejects every call until an operator fixes the cause. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Unavailable || isUnavailable(error) || findLastingError(error) !== null;

/** Logs an outage and its end once for all keys of one kind of work. */
export class OutageNotice {
  private isWaiting = false;

  /** @param activity name of the activity in the log, such as `publishing` */
  constructor(
    private readonly activity: string,
    private readonly log: Log,
  ) {}

  /** Records that an outage interrupted the work on a key. */
  recordOutage(error: unknown): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    const server = error instanceof Unavailable ? 'event store' : 'database';
    this.log.warn({ reason: reasonOf(error) }, `${this.activity} waits until the ${server} is available`);
  }

  /** Records that the work on a key succeeded. */
  recordSuccess(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.log.info({}, `${this.activity} continues after an outage`);
  }
}

const RETRY_INTERVAL_MS = 1_000;

/**
 * Retries an append while the event store is unavailable, because only this process knows the network's response
 * (D-25).
 * @param append safe to repeat, because its events carry the id of one command
 * @throws Unavailable once the signal is aborted
 */
export const retryWhileUnavailable = async <T>(append: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof Unavailable) || signal.aborted) throw error;
      await sleepUnlessAborted(RETRY_INTERVAL_MS, signal);
    }
  }
};
