import { Unavailable } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { type Leases, whileHeld } from '../../postgres/leases.js';
import { findLastingError, isUnavailable } from '../../postgres/unavailable.js';
import { Backoff, type BackoffBounds } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
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

/** Work that only one process does at a time. */
export interface LeasedWork {
  readonly lease: string;
  readonly retry: BackoffBounds;
  /** Log message for a failure, `failed to …; retrying`, if a repeated failure is logged once; otherwise logs one. */
  readonly failure: string | ((error: unknown) => void);
  /** Waits before the next attempt. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Works until `held` is aborted: the process stops or the lease is lost. @param lost aborted if the lease is lost */
  readonly work: (held: AbortSignal, lost: AbortSignal) => Promise<void>;
}

/** Runs the work whenever this process holds its lease, until the signal is aborted. Retries after every error. */
export const runUnderLease = async (
  leases: Leases,
  log: Log,
  { lease: name, retry, failure, work, pause = sleepUnlessAborted }: LeasedWork,
  signal: AbortSignal,
): Promise<void> => {
  const backoff = new Backoff(retry);
  const failures = new RepeatedFailure();
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await whileHeld(leases, name, signal, work);
      backoff.reset();
      failures.clear();
      leases.failingWork.recordSuccess(name);
    } catch (error) {
      if (typeof failure === 'string') failures.warn(log, error, failure);
      else failure(error);
      const delay = backoff.nextDelay(performance.now() - startedAt);
      leases.failingWork.recordFailure(name, reasonOf(error), delay);
      await pause(delay, signal);
    }
  }
};

/** Signals that stop a worker in two steps. */
export interface ShutdownSignals {
  /** Aborted when no new work may begin; work in progress is finished. */
  readonly drain: AbortSignal;
  /** Aborted when work in progress must stop too: another worker continues it. */
  readonly abort: AbortSignal;
}
