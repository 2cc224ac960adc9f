import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = process.env.TEST_LONG ? 300_000 : 100_000;
const LOOK_AGAIN_MS = 25;

/**
 * Waits for something that must come about, and answers it. An error while looking counts as "not yet", because the
 * server may be away.
 * @throws Error naming what did not come about, and what was in the way last.
 */
export const until = async <T>(
  what: string,
  look: () => T | null | false | undefined | Promise<T | null | false | undefined>,
  patienceMs = PATIENCE_MS,
): Promise<T> => {
  let last: unknown = null;
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(LOOK_AGAIN_MS)) {
    try {
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found;
      last = null;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`did not come about: ${what}`, { cause: last });
};
