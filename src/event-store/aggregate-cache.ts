import type { Decider } from '../kernel/decider.js';
import type { DomainEvent } from '../kernel/events.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { type LoadedAggregate, emptyAggregate, type AggregateStore } from './aggregate-store.js';

/** Most aggregates that a cache holds. */
const MAX_AGGREGATES = 10_000;

/**
 * Cache of aggregates that are read often and change rarely. Every read asks the store for the events since the last one,
 * so that the result is as exact as reading the whole stream. Only the folding is saved.
 */
export class AggregateCache<S> {
  private readonly known = new BoundedCache<LoadedAggregate<S>>(MAX_AGGREGATES);

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly decider: Decider<never, S, DomainEvent, string>,
  ) {}

  /** Returns the present aggregate. @throws Unavailable */
  async loadLatest(id: string): Promise<LoadedAggregate<S>> {
    const loaded = await this.aggregates.loadAggregate(
      this.decider,
      id,
      this.known.get(id) ?? emptyAggregate(this.decider),
    );
    if (loaded.revision > (this.known.get(id)?.revision ?? -2n)) this.known.set(id, loaded);
    return loaded;
  }
}
