import { Unavailable } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import { findLastingError, isUnavailable } from '../../postgres/unavailable.js';
import { Backoff, type BackoffBounds } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** Work that only one process does at a time. */
export interface LeasedWork {
  readonly lease: string;
  readonly retry: BackoffBounds;
  /** Log message for a failure, `failed to …; retrying`. A repeated failure is logged once. */
  readonly failure: string;
  /** Works until `held` is aborted: the process stops or the lease is lost. @param lost aborted if the lease is lost */
  readonly work: (held: AbortSignal, lost: AbortSignal) => Promise<void>;
}

/** Runs the work whenever this process holds its lease, until the signal is aborted. Retries after every error. */
export const runUnderLease = async (
  leases: Leases,
  log: Log,
  { lease: name, retry, failure, work }: LeasedWork,
  signal: AbortSignal,
): Promise<void> => {
  const backoff = new Backoff(retry);
  const failures = new RepeatedFailure();
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      const lease = await leases.acquire(name, signal);
      if (!lease) return;
      try {
        await work(AbortSignal.any([signal, lease.lost]), lease.lost);
      } finally {
        await lease.release();
      }
      backoff.reset();
      failures.clear();
      leases.failingWork.recordSuccess(name);
    } catch (error) {
      const reason = reasonOf(error);
      if (failures.shouldLog(reason)) log.warn({ reason }, failure);
      const delay = backoff.nextDelay(performance.now() - startedAt);
      leases.failingWork.recordFailure(name, reason, delay);
      await sleepUnlessAborted(delay, signal);
    }
  }
};

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
