/**
 * Limits the number of channels that one process publishes on at a time, for each network on its own: a network that is
 * slow or down takes no capacity from the others. Channels that only wait (for a rate limit, for a network) do not count.
 */
export class PlatformConcurrency {
  private readonly busy = new Map<string, number>();
  /** Called whenever a channel is released. */
  onFree: () => void = () => undefined;

  /** @param size maximum number of channels of one network, from 1 */
  constructor(
    readonly platforms: readonly string[],
    private readonly size: number,
  ) {}

  /** Returns the free capacity of each network, from 0. */
  free(): { readonly platform: string; readonly size: number }[] {
    return this.platforms.map((platform) => ({
      platform,
      size: Math.max(0, this.size - (this.busy.get(platform) ?? 0)),
    }));
  }

  acquire(platform: string): void {
    this.busy.set(platform, (this.busy.get(platform) ?? 0) + 1);
  }

  release(platform: string): void {
    this.busy.set(platform, (this.busy.get(platform) ?? 0) - 1);
    this.onFree();
  }

  /** Releases a channel's place while a promise is pending. Afterwards the limit may be exceeded for a moment. */
  async releaseWhile<T>(platform: string, wait: Promise<T>): Promise<T> {
    this.release(platform);
    try {
      return await wait;
    } finally {
      this.acquire(platform);
    }
  }
}
