import { setTimeout as sleep } from 'node:timers/promises';

const TIME_LIMIT_MS = 300_000;
/**
 * Limits of the polling interval, which is a tenth of the time waited so far. Compared with a short interval, a wait of
 * seconds ends hardly later, with far fewer polls; each costs the gateway and its database some milliseconds.
 */
const INTERVAL_MS = { shortest: 10, longest: 100 };

/**
 * Polls until a condition returns a result, and returns the result. An error counts as "not yet", because a server may
 * be unavailable.
 * @throws Error after the time limit, with the condition's description and its last error as the cause
 */
export const until = async <T>(
  condition: string,
  check: () => T | null | false | undefined | Promise<T | null | false | undefined>,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<T> => {
  let lastError: unknown = null;
  const begin = Date.now();
  for (const end = begin + timeLimitMs; Date.now() < end; await sleep(intervalAfter(Date.now() - begin))) {
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

const intervalAfter = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 10, INTERVAL_MS.shortest), INTERVAL_MS.longest);
