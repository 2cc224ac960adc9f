import { GatewayError } from '../api/management.js';

/** How many calls are under way at the same time. */
const AT_ONCE = 4;
/** How often a call is repeated that the gateway asked to wait with. */
const MOST_WAITS = 10;

/** What became of an item. */
export type Result = { readonly isDone: true } | { readonly isDone: false; readonly error: unknown };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `work`, and again after the time that a 429 asks for, unless the work was stopped meanwhile. */
export const runPatiently = async <T>(
  work: () => Promise<T>,
  isStopped: () => boolean,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<T> => {
  for (let waits = 0; ; waits++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status !== 429 || waits === MOST_WAITS || isStopped()) throw error;
      await wait((error.retryAfter ?? 1) * 1_000);
      if (isStopped()) throw error;
    }
  }
};

/**
 * Does something with each of several things, a few at a time. One that fails does not stop the others. Once it is
 * stopped, nothing more begins, and what is under way ends.
 */
export const runEach = async <T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  onResult: (item: T, result: Result) => void,
  isStopped: () => boolean,
  wait?: (ms: number) => Promise<void>,
): Promise<void> => {
  const rest = [...items];
  const run = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined && !isStopped(); item = rest.shift()) {
      const current = item;
      try {
        await runPatiently(() => work(current), isStopped, wait);
        onResult(current, { isDone: true });
      } catch (error) {
        onResult(current, { isDone: false, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
};
