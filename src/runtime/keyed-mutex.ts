/** One lock per key: callers with the same key run one at a time, in order of arrival. */
export class KeyedMutex {
  private readonly queues = new Map<string, Promise<void>>();

  /** Waits for all earlier callers with this key. @returns a function that releases the lock */
  async acquire(key: string): Promise<() => void> {
    const before = this.queues.get(key) ?? Promise.resolve();
    let release: () => void = () => undefined;
    const own = new Promise<void>((resolve) => (release = resolve));
    const end = before.then(() => own);
    this.queues.set(key, end);
    await before;
    return () => {
      release();
      if (this.queues.get(key) === end) this.queues.delete(key);
    };
  }
}
