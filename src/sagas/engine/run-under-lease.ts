import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { type Leases, whileHeld } from '../../postgres/leases.js';
import { Backoff, type BackoffBounds } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

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
