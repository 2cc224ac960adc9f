import type { Decider } from '../kernel/decider.js';
import type { DomainEvent } from '../kernel/events.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import type { AggregateStore, LoadedAggregate } from './aggregate-store.js';

const MAX_AGGREGATES = 10_000;

/**
 * Caches aggregates that are read often and change rarely. Every load still reads newer events from the store, so the
 * result is never stale; the cache only avoids folding the older events again.
 */
export class AggregateCache<S> {
  private readonly known = new BoundedCache<LoadedAggregate<S>>(MAX_AGGREGATES);

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly decider: Decider<never, S, DomainEvent, string>,
  ) {}

  /** Returns the current aggregate. @throws Unavailable */
  async loadLatest(id: string): Promise<LoadedAggregate<S>> {
    const loaded = await this.aggregates.loadAggregate(this.decider, id, this.known.get(id));
    if (loaded.revision > (this.known.get(id)?.revision ?? -2n)) this.known.set(id, loaded);
    return loaded;
  }
}
