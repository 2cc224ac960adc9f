const SHORT_WAITS = [2, 4, 8, 16];
const LONG_WAITS = [5, 15, 45, 120, 300];

/** Attempts in all, the first included. */
const MOST_UNAVAILABLE = 5;
const MOST_FAILED = 4;
const MOST_LIMITED = 5;

/** The outcome of an attempt at sending a post: the answer's status, or none where the connection broke off. */
export interface Outcome {
  readonly status: number | null;
  /** Seconds that the answer asks for. */
  readonly retryAfter: number | null;
}

/**
 * Returns the seconds to wait before the next attempt, or null if there is none (publish-api.md: Client retry policy). An
 * answer that broke off may have been an acceptance: it counts as a failure of the server.
 * @param attempt number of the attempt that has just ended, from 1
 */
export const nextAttemptIn = ({ status, retryAfter }: Outcome, attempt: number): number | null => {
  if (status !== null && status < 500 && status !== 429) return null;
  const [waits, most] =
    status === 429
      ? [SHORT_WAITS, MOST_LIMITED]
      : status === 503
        ? [LONG_WAITS, MOST_UNAVAILABLE]
        : [SHORT_WAITS, MOST_FAILED];
  const wait = waits[attempt - 1];
  if (attempt >= most || wait === undefined) return null;
  return status === 429 && retryAfter !== null ? retryAfter : Math.max(wait, retryAfter ?? 0);
};
