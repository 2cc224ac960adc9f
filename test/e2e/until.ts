import { setTimeout as sleep } from 'node:timers/promises';

const TIME_LIMIT_MS = 300_000;
const POLL_INTERVAL_MS = 25;

/**
 * Polls until a condition returns a result, and returns the result. An error counts as "not yet", because a server may be
 * unavailable.
 * @throws Error after the time limit, with the condition's description and its last error as the cause
 */
export const until = async <T>(
  condition: string,
  check: () => T | null | false | undefined | Promise<T | null | false | undefined>,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<T> => {
  let lastError: unknown = null;
  for (const end = Date.now() + timeLimitMs; Date.now() < end; await sleep(POLL_INTERVAL_MS)) {
    try {
      const result = await check();
      if (result !== null && result !== undefined && result !== false) return result;
      lastError = null;
    } catch (error) {
      lastError = error;
    }
  }
  throw new Error(`not within the time limit: ${condition}`, { cause: lastError });
};
