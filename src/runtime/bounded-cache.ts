/** A map with a bounded number of entries. When full, it removes the least recently written entry. */
export class BoundedCache<Value extends NonNullable<unknown>> {
  private readonly entries = new Map<string, Value>();

  /** @param maxEntries at least 1 */
  constructor(private readonly maxEntries: number) {}

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  /** Returns a key's value, creating it if there is none. */
  getOrCreate(key: string, create: () => Value): Value {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const created = create();
    this.set(key, created);
    return created;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key); // a Map iterates in insertion order, so a rewritten key becomes the newest
    if (this.entries.size >= this.maxEntries) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(key, value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
