/**
 * How many channels one process publishes on at a time: so many for each network, so that one that is slow or down takes
 * nothing away from the others. Who only waits (for a pace, for a network to settle) takes up no room either.
 */
export class Rooms {
  private readonly busy = new Map<string, number>();
  /** Called whenever there is room again. */
  onFree: () => void = () => undefined;

  /** @param size channels of one network, from 1 */
  constructor(
    readonly platforms: readonly string[],
    private readonly size: number,
  ) {}

  /** What is left, by network; those that are full are left out. */
  left(): { readonly platform: string; readonly size: number }[] {
    return this.platforms
      .map((platform) => ({ platform, size: this.size - (this.busy.get(platform) ?? 0) }))
      .filter(({ size }) => size > 0);
  }

  enter(platform: string): void {
    this.busy.set(platform, (this.busy.get(platform) ?? 0) + 1);
  }

  leave(platform: string): void {
    this.busy.set(platform, (this.busy.get(platform) ?? 0) - 1);
    this.onFree();
  }

  /** Waits outside; who comes back may find more company than there is room, for a moment. */
  async outside<T>(platform: string, wait: Promise<T>): Promise<T> {
    this.leave(platform);
    try {
      return await wait;
    } finally {
      this.enter(platform);
    }
  }
}
