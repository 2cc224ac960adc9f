/** Limits how many tasks run at a time. The others wait, first come, first served. */
export class Semaphore {
  private readonly waiting = new Set<() => void>();

  constructor(private permits: number) {}

  /**
   * Waits for a permit.
   * @returns a function that releases the permit; call it once
   * @throws the signal's reason if it aborts before there is a permit
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.permits > 0) this.permits--;
    else await this.wait(signal);
    return () => this.release();
  }

  /** Takes a permit without waiting. Returns a function that releases it, to be called once; null if none is free. */
  tryAcquire(): (() => void) | null {
    if (this.permits === 0) return null;
    this.permits--;
    return () => this.release();
  }

  private release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.permits++;
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(enter);
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
      this.waiting.add(enter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
