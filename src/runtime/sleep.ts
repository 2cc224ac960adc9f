import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the given number of ms. Resolves at once when the signal is aborted; never rejects. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
