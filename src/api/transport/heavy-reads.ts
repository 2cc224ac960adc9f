import { KeyedPace } from '../../runtime/keyed-pace.js';
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.js';

/** Maximum number of concurrent heavy reads per holder. */
const AT_ONCE = 2;
/** Pace of each holder: about 8 MB a second after a burst of 16 MiB. */
const TURN = { bytes: 8_192, intervalMs: 1, burst: 2_048 };

const turns = new KeyedSemaphore(AT_ONCE);
const pace = new KeyedPace(TURN.intervalMs, TURN.burst);

/**
 * Waits for the turn of a read that may be large (D-68): each owner, and the operator, may have two such reads at a
 * time across all interfaces. An owner who has read a lot waits longer (ADR-220). Returns the function that ends the
 * turn.
 */
export const takeHeavyReadTurn = async (holder: string): Promise<() => void> => {
  const release = await turns.acquire(holder);
  await pace.settle(holder);
  return release;
};

/** Counts a large answer, which delays its holder's next heavy reads. */
export const countLargeAnswer = (holder: string, bytes: number): void => {
  pace.take(holder, bytes / TURN.bytes);
};
