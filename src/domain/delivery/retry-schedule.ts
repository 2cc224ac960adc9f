import type { Instant } from '../../kernel/clock.js';

/** Delay after each failed attempt at a delivery, in minutes; the first attempt is made at once (security.md). */
const DELAYS_MINUTES = [5 / 60, 5, 30, 120, 300, 600, 600] as const;
/** Maximum jitter, as a fraction of the delay. It keeps many deliveries from being retried at the same moment. */
const JITTER = 0.1;
/** Longest wait that a customer's server may request, in ms. */
const LONGEST_ASKED_MS = 24 * 3_600_000;

/** Minutes of consecutive failures after which a webhook output is disabled: five days. */
export const FAILURE_LIMIT_MINUTES = 5 * 24 * 60;

/** The data about a failed attempt that determines when the next attempt is due. */
export interface FailedAttempt {
  readonly endedAt: Instant;
  /** `Retry-After` of the response, in ms, not scaled by MINUTE_MS; null if there was none. */
  readonly retryAfterMs: number | null;
  /** Length of a minute in the schedule, in ms (MINUTE_MS). */
  readonly minuteMs: number;
  /** Random number from 0 to 1. */
  readonly random: number;
}

/**
 * Returns the earliest time of the next attempt: as scheduled, or the server's `Retry-After` (at most 24 hours) if that
 * is later.
 * @param failed number of failed attempts in this schedule, from 1
 * @returns null if it was the last attempt
 */
export const computeRetryTime = (
  failed: number,
  { endedAt, retryAfterMs, minuteMs, random }: FailedAttempt,
): Instant | null => {
  const minutes = DELAYS_MINUTES[failed - 1];
  if (minutes === undefined) return null;
  const delay = minutes * minuteMs * (1 + JITTER * random);
  return Math.ceil(endedAt + Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)));
};

/**
 * True if the whole server seems to be down: it sent no response, or 5xx without `Retry-After`. Any other response
 * concerns only the delivery.
 */
export const meansServerDown = (status: number | null, retryAfterMs: number | null): boolean =>
  status === null || (status >= 500 && retryAfterMs === null);
