import { waitInQueue } from './semaphore.js';

/**
 * A pool of slots that owners share fairly: an owner may take a slot only while more slots are free than it already
 * holds. So one busy owner leaves half of the slots free, two leave a third, and an owner without slots never waits for
 * another owner's work. Waiting owners are served in turn, and each owner's requests in order of arrival.
 */
export class FairSlots {
  private readonly held = new Map<string, number>();
  /** Waiters by owner, starting with the owner whose turn is next. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private used = 0;

  /** @param size number of slots, at least 1 */
  constructor(private readonly size: number) {}

  /** Number of free slots, 0 or more. */
  get free(): number {
    return Math.max(0, this.size - this.used);
  }

  /** Number of slots that each owner holds. */
  get holders(): ReadonlyMap<string, number> {
    return this.held;
  }

  /** True if the owner cannot take a slot now, because it has used up its share or is already waiting for a slot. */
  isAtShare(owner: string): boolean {
    return this.waiting.has(owner) || !this.mayTake(owner);
  }

  /** Returns the owners that are waiting for a slot. */
  listWaiting(): string[] {
    return [...this.waiting.keys()];
  }

  /** Takes a slot, even if none is free. */
  take(owner: string): void {
    this.used++;
    this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
  }

  /** Releases a slot. */
  release(owner: string): void {
    const left = this.held.get(owner)! - 1;
    this.used--;
    if (left > 0) this.held.set(owner, left);
    else this.held.delete(owner);
    while (this.grantNext());
  }

  /**
   * Waits for a slot from the owner's share.
   * @returns a function that releases the slot; call it once
   * @throws the signal's reason if it aborts before a slot is free
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

  /** Gives a slot to the next waiting owner that may take one. @returns false if there is none */
  private grantNext(): boolean {
    for (const [owner, waiters] of this.waiting) {
      if (!this.mayTake(owner)) continue;
      const [first] = waiters;
      this.take(owner);
      first!();
      const rest = this.waiting.get(owner);
      if (rest) {
        // Moves the owner to the end of the queue.
        this.waiting.delete(owner);
        this.waiting.set(owner, rest);
      }
      return true;
    }
    return false;
  }

  private wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const waiters = this.waiting.get(owner) ?? new Set<() => void>();
    this.waiting.set(owner, waiters);
    return waitInQueue(waiters, signal, () => {
      if (waiters.size === 0) this.waiting.delete(owner);
    });
  }
}
