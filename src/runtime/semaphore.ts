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
