import type { Committed } from './event-log.js';
import type { Faults } from './faults.js';

/** Time after which the server abandons a write, in ms (`CommitTimeoutMs`). */
const COMMIT_TIMEOUT_MS = 2_000;

/**
 * Replication of written appends, which takes a moment even on a single node. An append is answered afterwards. An
 * identical append that arrives before that is dropped, and answered after the time limit with an exceeded deadline.
 */
export class Replication {
  /** Last event of each append that is not replicated yet, as `stream` and `revision`. */
  private readonly pending = new Set<string>();

  constructor(private readonly faults: Faults) {}

  /**
   * Answers an append that has just been written, or had been written before.
   * @param answer called once the append is replicated; if it is a copy of one that is not, `giveUp` is called instead,
   * after 2 s
   */
  answer(stream: string, { revision, isCopy }: Committed, answer: () => unknown, giveUp: () => unknown): void {
    const key = `${stream}\n${revision}`;
    if (isCopy) {
      if (this.pending.has(key)) {
        this.faults.droppedCopies += 1;
        setTimeout(giveUp, COMMIT_TIMEOUT_MS);
      } else answer();
      return;
    }
    this.pending.add(key);
    const replicate = (): void => {
      this.pending.delete(key);
      answer();
    };
    if (this.faults.replicateAfterMs === 0) setImmediate(replicate);
    else setTimeout(replicate, this.faults.replicateAfterMs);
  }
}
