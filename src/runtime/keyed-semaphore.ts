import { Semaphore } from './semaphore.js';

interface Entry {
  readonly semaphore: Semaphore;
  /** Tasks that run or wait. */
  users: number;
}

/** Bounds how many tasks of each key run at a time. The others of the key wait in the order in which they asked. */
export class KeyedSemaphore {
  private readonly entries = new Map<string, Entry>();

  /** @param permits of each key */
  constructor(private readonly permits: number) {}

  /** Number of keys of which tasks run or wait. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Waits for a permit of a key.
   * @returns the function that releases it; to be called once
   * @throws the signal's reason if it aborts before there is a permit
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

  /** Takes a permit of a key if there is one; null otherwise. Returns the function that releases it; to be called once. */
  tryAcquire(key: string): (() => void) | null {
    const entry = this.enter(key);
    const release = entry.semaphore.tryAcquire();
    if (release) return () => this.leave(key, entry, release);
    this.leave(key, entry);
    return null;
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
