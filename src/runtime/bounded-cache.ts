/** What was made for a key, as long as there is room: the oldest goes first. */
export class BoundedCache<V> {
  private readonly kept = new Map<string, V>();

  /** @param size entries at most */
  constructor(private readonly size: number) {}

  get(key: string, make: () => V): V {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.kept.size >= this.size) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(key, made);
    return made;
  }
}
