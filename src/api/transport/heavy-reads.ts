import { KeyedPace } from '../../runtime/pace.js';
import { KeyedSemaphore } from '../../runtime/semaphore.js';

/** At most two heavy reads per holder at a time. */
const turns = new KeyedSemaphore(2);
/** Size of a turn. After a burst of 16 MiB, each holder gets one turn per ms, i.e. about 8 MB per second. */
const TURN_BYTES = 8_192;
const pace = new KeyedPace(1, 2_048);

/**
 * Waits until a potentially large read may start (D-68): each owner, and the operator, may have two such reads at a
 * time across all APIs. An owner who has read a lot waits longer (ADR-220). Returns a function that ends the turn.
 */
export const takeHeavyReadTurn = async (holder: string): Promise<() => void> => {
  const release = await turns.acquire(holder);
  await pace.settle(holder);
  return release;
};

/** Counts a large response, which delays the holder's next heavy reads. */
export const countLargeAnswer = (holder: string, bytes: number): void => {
  pace.take(holder, bytes / TURN_BYTES);
};
