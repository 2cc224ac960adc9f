import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../event-store/port.js';

const PAUSE_MS = 1_000;

/**
 * Repeats work while the event store is away. What a network has answered is known to this process alone: it must not
 * be lost with the store, because nobody could find it out again (D-25).
 *
 * @param work may be repeated: its events carry the id of one command
 * @throws Unavailable once the signal has come
 */
export const surely = async <T>(work: () => Promise<T>, breakOff: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || breakOff.aborted) throw error;
      await sleep(PAUSE_MS, undefined, { signal: breakOff }).catch(() => undefined);
    }
  }
};
