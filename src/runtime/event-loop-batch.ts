/**
 * Gathers what comes within a turn of the event loop and has it worked on at the turn's end, one after the other (cohort
 * scheduling: Larus and Parkes, 2002). The same code for many finds itself in the processor's caches for all but the first;
 * taken one by one, with all that happens to each in between, everyone finds them cold. What comes while a cohort is worked
 * on is the next one.
 */
export class Cohort<Item> {
  private items: Item[] = [];

  /** @param work must not throw: it would take the rest of its cohort along */
  constructor(private readonly work: (item: Item) => void) {}

  add(item: Item): void {
    if (this.items.push(item) === 1) setImmediate(() => this.now());
  }

  /** Does not wait for the turn's end: for whoever has to know that everything before is in hand. */
  now(): void {
    const { items } = this;
    this.items = [];
    for (const item of items) this.work(item);
  }
}
