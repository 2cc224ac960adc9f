import { FairSlots } from '../../../runtime/fair-slots.js';

/** How long an owner counts as active after one of its publications began to prepare, in ms. */
const ACTIVE_MS = 2_000;

/**
 * Limits how many publications prepare for their first call at the same time in a process while several owners publish
 * (D-68). Otherwise hundreds of due posts of one owner would fill every queue on the way to the network at once: the
 * event loop, the reads, the append. An owner that publishes alone is not limited, because larger batches cost less.
 */
export class StartTurns {
  private readonly slots: FairSlots;
  private latest: { readonly owner: string; at: number } | null = null;
  /** The owner that was active before `latest`. */
  private previous: { readonly owner: string; readonly at: number } | null = null;

  /**
   * @param size number of publications of all owners; one owner uses at most half of them
   * @param now monotonic time in ms
   */
  constructor(
    size: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.slots = new FairSlots(size);
  }

  /**
   * Waits until a publication may prepare.
   * @returns a function that lets the next one start; only its first call counts. Null if the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (this.isAlone(owner)) return () => undefined;
    let release: (() => void) | null = await this.slots.acquire(owner, signal).catch(() => null);
    if (release === null) return null;
    return () => {
      release?.();
      release = null;
    };
  }

  /** Records that an owner is active. @returns true if no other owner is active */
  private isAlone(owner: string): boolean {
    const at = this.now();
    if (this.latest?.owner === owner) this.latest.at = at;
    else {
      this.previous = this.latest;
      this.latest = { owner, at };
    }
    return this.previous === null || at > this.previous.at + ACTIVE_MS;
  }
}
