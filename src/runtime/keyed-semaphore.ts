import { Semaphore } from './semaphore.js';

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
