import { reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import { Backoff, type BackoffBounds } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';

/** Work that only one process does at a time. */
export interface LeasedWork {
  readonly lease: string;
  readonly retry: BackoffBounds;
  /** Logs a failure; not called if the same failure was logged just before. @param reason one line */
  readonly logFailure: (reason: string) => void;
  /**
   * Works until `held` is aborted: the process stops, or the lease is lost.
   * @param lost aborted when the lease is lost
   */
  readonly work: (held: AbortSignal, lost: AbortSignal) => Promise<void>;
}

/** Runs the work whenever this process holds its lease, until the signal is aborted. Retries after every error. */
export const runUnderLease = async (
  leases: Leases,
  { lease: name, retry, logFailure, work }: LeasedWork,
  signal: AbortSignal,
): Promise<void> => {
  const backoff = new Backoff(retry);
  const failure = new RepeatedFailure();
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
      failure.clear();
    } catch (error) {
      const reason = reasonOf(error);
      if (failure.shouldLog(reason)) logFailure(reason);
      await backoff.wait(signal, performance.now() - startedAt);
    }
  }
};
