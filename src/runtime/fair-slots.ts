/**
 * A number of slots that owners share fairly: an owner may take a slot only while more are free than it holds. So a busy owner
 * leaves half of the slots, two leave a third, and an owner that holds none waits for no other one's work. Owners that wait are
 * served in turn, each in its own order of arrival.
 */
export class FairSlots {
  private readonly held = new Map<string, number>();
  /** Waiters by owner; the owner whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private used = 0;

  /** @param size number of slots, from 1 */
  constructor(private readonly size: number) {}

  /** Number of free slots, from 0. */
  get free(): number {
    return Math.max(0, this.size - this.used);
  }

  /** Owners that hold slots, and how many each holds. */
  get holders(): ReadonlyMap<string, number> {
    return this.held;
  }

  /** True if the owner cannot take a slot now, because it uses its share, or waits for a slot already. */
  isAtShare(owner: string): boolean {
    return this.waiting.has(owner) || !this.mayTake(owner);
  }

  /** Returns the owners that wait for a slot. */
  listWaiting(): string[] {
    return [...this.waiting.keys()];
  }

  /** Takes a slot, even if none is free. */
  take(owner: string): void {
    this.used++;
    this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
  }

  /** Gives a slot back. */
  release(owner: string): void {
    const left = this.held.get(owner)! - 1;
    this.used--;
    if (left > 0) this.held.set(owner, left);
    else this.held.delete(owner);
    while (this.grantNext());
  }

  /**
   * Waits for a slot of the owner's share.
   * @returns the function that gives it back; to be called once
   * @throws the signal's reason if it aborts before there is a slot
   */
  async acquire(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.isAtShare(owner)) await this.wait(owner, signal);
    else this.take(owner);
    return () => this.release(owner);
  }

  private mayTake(owner: string): boolean {
    return (this.held.get(owner) ?? 0) < this.size - this.used;
  }

  /** Gives a slot to the first owner in turn that may take one. @returns false if there is none */
  private grantNext(): boolean {
    for (const [owner, waiters] of this.waiting) {
      if (!this.mayTake(owner)) continue;
      const [first] = waiters;
      this.take(owner);
      first!();
      const rest = this.waiting.get(owner);
      if (rest) {
        // To the end of the line.
        this.waiting.delete(owner);
        this.waiting.set(owner, rest);
      }
      return true;
    }
    return false;
  }

  private wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiters = this.waiting.get(owner) ?? new Set<() => void>();
      this.waiting.set(owner, waiters);
      const leave = (): void => {
        waiters.delete(enter);
        if (waiters.size === 0) this.waiting.delete(owner);
        signal?.removeEventListener('abort', abort);
      };
      const enter = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        reject(signal!.reason as Error);
      };
      waiters.add(enter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
