/**
 * Limits the number of keys (channels, webhook outputs) that one process works on at a time, for each group on its own: a
 * network that is slow or down takes no capacity from the others. Keys that only wait (for a rate limit, for a network) do not
 * count.
 */
export class GroupConcurrency {
  private readonly busy = new Map<string, number>();
  /** Called whenever a key is released. */
  onFree: () => void = () => undefined;

  /** @param size maximum number of keys of one group, from 1 */
  constructor(
    readonly groups: readonly string[],
    private readonly size: number,
  ) {}

  /** Returns the free capacity of each group, from 0. */
  free(): { readonly group: string; readonly size: number }[] {
    return this.groups.map((group) => ({ group, size: Math.max(0, this.size - (this.busy.get(group) ?? 0)) }));
  }

  acquire(group: string): void {
    this.busy.set(group, (this.busy.get(group) ?? 0) + 1);
  }

  release(group: string): void {
    this.busy.set(group, (this.busy.get(group) ?? 0) - 1);
    this.onFree();
  }

  /** Releases a key's place while a promise is pending. Afterwards the limit may be exceeded for a moment. */
  async releaseWhile<T>(group: string, wait: Promise<T>): Promise<T> {
    this.release(group);
    try {
      return await wait;
    } finally {
      this.acquire(group);
    }
  }
}
