import { Unavailable } from '../../event-store/port.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

const RETRY_INTERVAL_MS = 1_000;

/**
 * Retries an append while the event store is unavailable, because only this process knows the network's response
 * (D-25).
 * @param append safe to repeat, because its events carry the id of one command
 * @throws Unavailable once the signal is aborted
 */
export const retryWhileUnavailable = async <T>(append: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof Unavailable) || signal.aborted) throw error;
      await sleepUnlessAborted(RETRY_INTERVAL_MS, signal);
    }
  }
};
