/** Limits how many tasks run at a time. The others wait, first come, first served. */
export class Semaphore {
  private readonly waiting = new Set<() => void>();

  constructor(private permits: number) {}

  /**
   * Waits for a permit.
   * @returns a function that releases the permit; call it once
   * @throws the signal's reason if it aborts before a permit is free
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.permits > 0) this.permits--;
    else await waitInQueue(this.waiting, signal);
    return () => this.release();
  }

  private release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.permits++;
  }
}

/**
 * Adds a callback to a queue and waits until it is called.
 * @param onLeave called when the callback has left the queue
 * @throws the signal's reason if it aborts first
 */
export const waitInQueue = (
  queue: Set<() => void>,
  signal: AbortSignal | undefined,
  onLeave: () => void = () => undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      queue.delete(enter);
      onLeave();
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
    queue.add(enter);
    signal?.addEventListener('abort', abort, { once: true });
  });

interface Entry {
  readonly semaphore: Semaphore;
  /** Number of running and waiting tasks. */
  users: number;
}

/** Limits how many tasks of each key run at a time. The key's other tasks wait in order of arrival. */
export class KeyedSemaphore {
  private readonly entries = new Map<string, Entry>();

  /** @param permits number of permits per key */
  constructor(private readonly permits: number) {}

  /** Number of keys with running or waiting tasks. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Waits for a permit for a key.
   * @returns a function that releases the permit; call it once
   * @throws the signal's reason if it aborts before a permit is free
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const entry = this.enter(key);
    try {
      const release = await entry.semaphore.acquire(signal);
      return () => this.leave(key, entry, release);
    } catch (error) {
      this.leave(key, entry);
      throw error;
    }
  }

  private enter(key: string): Entry {
    const entry = this.entries.get(key) ?? { semaphore: new Semaphore(this.permits), users: 0 };
    this.entries.set(key, entry);
    entry.users++;
    return entry;
  }

  private leave(key: string, entry: Entry, release?: () => void): void {
    release?.();
    entry.users--;
    if (entry.users === 0) this.entries.delete(key);
  }
}

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
