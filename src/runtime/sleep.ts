import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the given number of ms. Resolves at once when the signal is aborted; never rejects. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Resolves to true if a promise settles within a turn of the event loop, without waiting for I/O. Never rejects. */
export const settlesSoon = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);

/**
 * Returns the outcome of a promise, or rejects if it takes longer than the limit. A later outcome is ignored.
 * @param limitMs above 0
 * @param createError creates the error to reject with
 */
export const withTimeLimit = async <T>(promise: Promise<T>, limitMs: number, createError: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
