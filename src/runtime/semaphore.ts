/** Bounds how many tasks run at a time. The others wait, first come, first served. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private permits: number) {}

  /** Waits for a permit. @returns the function that releases it; to be called once */
  async acquire(): Promise<() => void> {
    if (this.permits > 0) this.permits--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next) next();
      else this.permits++;
    };
  }
}
