import type { Instant } from '../../kernel/clock.js';
import type { PostponeRule } from './publication.events.js';

/** Number of failed attempts after which a publication fails for good (D-20). */
export const MAX_ATTEMPTS = 5;
/** How long failed attempts are retried (D-20), not counting waits, in ms. */
const MAX_RETRY_PERIOD_MS = 15 * 60_000;
/** How long a publication may be delayed by anything other than failed attempts (D-20), in ms. */
const MAX_WAIT_PERIOD_MS = 24 * 3_600_000;

/** Counts a publication's attempts and waits, to enforce the limits of D-20. */
export interface RetryCounters {
  /** Failed attempts that count towards {@link MAX_ATTEMPTS}. */
  readonly failures: number;
  readonly firstStartedAt: Instant | null;
  /** Start of the current wait if it was not caused by a failed attempt; otherwise null. */
  readonly waitingSince: Instant | null;
  /** Time since `firstStartedAt` spent in waits not caused by a failed attempt, in ms; not part of the 15 minutes. */
  readonly waitedMs: number;
  /** Number of waits requested by the network, by error code. */
  readonly waits: Readonly<Record<string, number>>;
}

/** The counters before the first attempt, and after a reset. */
export const initialRetryCounters: RetryCounters = {
  failures: 0,
  firstStartedAt: null,
  waitingSince: null,
  waitedMs: 0,
  waits: {},
};

/**
 * Returns the time of the next attempt within the limits (D-20: 5 attempts, 15 minutes, 24 hours of waits); null if
 * there must be no further attempt.
 */
export const limitRetryAt = (
  counts: RetryCounters,
  { at, retryAt, rule }: { readonly at: Instant; readonly retryAt: Instant; readonly rule: PostponeRule },
): Instant | null => {
  const first = counts.firstStartedAt ?? at;
  const end = rule === 'retry' ? first + counts.waitedMs + MAX_RETRY_PERIOD_MS : first + MAX_WAIT_PERIOD_MS;
  const isLastAttempt = rule === 'retry' && counts.failures + 1 >= MAX_ATTEMPTS;
  if (at >= end || isLastAttempt) return null;
  // A longer wait would block the channel beyond the limit, so the last attempt is made when the limit is reached.
  return Math.min(retryAt, end);
};
