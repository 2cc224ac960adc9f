import type { Instant } from '../../kernel/instant.js';
import type { PostponeRule } from './publication.events.js';

/** Number of failed attempts after which a publication fails for good (D-20). */
export const MAX_ATTEMPTS = 5;
/** Period in which failed attempts are retried (D-20), not counting waits, in ms. */
const MAX_RETRY_PERIOD_MS = 15 * 60_000;
/** Period in which a publication may wait for reasons other than a failed attempt (D-20), in ms. */
const MAX_WAIT_PERIOD_MS = 24 * 3_600_000;

/** Counters for a publication's attempts and waits, which D-20 limits. */
export interface RetryCounters {
  /** Failed attempts that count towards {@link MAX_ATTEMPTS}. */
  readonly failures: number;
  readonly firstStartedAt: Instant | null;
  /** Start of the current wait if it was not caused by a failed attempt; otherwise null. */
  readonly waitingSince: Instant | null;
  /** Total duration of such waits since `firstStartedAt`, in ms. It does not count towards the 15 minutes. */
  readonly waitedMs: number;
  /** Number of waits that the network requested, by the error's code. */
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

/** Limits the time of the next attempt (D-20: 5 attempts, 15 minutes, 24 hours of waits); null if there is none. */
export const limitRetryAt = (
  counts: RetryCounters,
  { at, retryAt, rule }: { readonly at: Instant; readonly retryAt: Instant; readonly rule: PostponeRule },
): Instant | null => {
  const first = counts.firstStartedAt ?? at;
  const end = rule === 'retry' ? first + counts.waitedMs + MAX_RETRY_PERIOD_MS : first + MAX_WAIT_PERIOD_MS;
  const isLastAttempt = rule === 'retry' && counts.failures + 1 >= MAX_ATTEMPTS;
  if (at >= end || isLastAttempt) return null;
  // A longer wait would hold the channel beyond the limit, so the last attempt is made at the limit.
  return Math.min(retryAt, end);
};
