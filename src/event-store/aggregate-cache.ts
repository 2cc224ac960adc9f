import type { Decider } from '../kernel/decider.js';
import type { DomainEvent } from '../kernel/events.js';
import { type Loaded, nothingYet, type Streams } from './aggregate-store.js';

/** Aggregates of which as many are kept, at most. */
const KEPT = 10_000;

/**
 * Aggregates that are looked at often and change seldom. Every look asks the store for what has come since the last one,
 * so that the answer is as exact as reading the whole stream; only the folding is saved.
 */
export class Remembered<S> {
  private readonly known = new Map<string, Loaded<S>>();

  constructor(
    private readonly streams: Streams,
    private readonly decider: Decider<never, S, DomainEvent, string>,
  ) {}

  /** The aggregate as it stands. @throws Unavailable */
  async load(id: string): Promise<Loaded<S>> {
    const loaded = await this.streams.load(this.decider, id, this.known.get(id) ?? nothingYet(this.decider));
    if (this.known.size >= KEPT && !this.known.has(id)) this.known.delete(this.known.keys().next().value!);
    if (loaded.revision > (this.known.get(id)?.revision ?? -2n)) this.known.set(id, loaded);
    return loaded;
  }
}
