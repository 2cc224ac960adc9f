/**
 * Collects the items of one event loop turn and processes them one after another at the end of the turn (cohort
 * scheduling: Larus and Parkes, 2002). The code and data that the items share are then in the processor's caches for
 * all but the first item. If each item were processed when it arrives, other work in between would evict them. Items
 * that are added during processing form the next batch.
 */
export class EventLoopBatch<Item> {
  private items: Item[] = [];

  /** @param processItem must not throw: the rest of the batch would be lost */
  constructor(private readonly processItem: (item: Item) => void) {}

  add(item: Item): void {
    if (this.items.push(item) === 1) setImmediate(() => this.flush());
  }

  /** Processes the collected items now, for a caller that depends on all earlier items being processed. */
  flush(): void {
    const { items } = this;
    this.items = [];
    for (const item of items) this.processItem(item);
  }
}
