import { type Decider, type DomainEvent, streamOf } from '../kernel/events.js';
import type { EventCodec } from './codec.js';
import { BEGINNING, type EventStore, type Position, type StoredEvent } from './port.js';
import type { Snapshots } from './snapshots.js';

/** An aggregate's state at a revision of its stream. */
export interface LoadedAggregate<S> {
  readonly state: S;
  /** Revision of the last event; -1n if there is no stream. */
  readonly revision: bigint;
  readonly position: Position;
  readonly hash: string;
}

/** Events read from a stream, and the aggregate before they are applied. */
export interface ReadAggregate<S> {
  readonly before: LoadedAggregate<S>;
  readonly stored: readonly StoredEvent[];
}

/** Returns an aggregate without events. */
export const emptyAggregate = <S>(decider: { readonly initial: S }): LoadedAggregate<S> => ({
  state: decider.initial,
  revision: -1n,
  position: BEGINNING,
  hash: '',
});

/** A stream with fewer events than this is read in full, without looking for a snapshot. */
const FIRST_PAGE = 200;
const PAGE = 1_000;
/** How many of the newest events are always read, so that a repeated command is recognised. */
const RECOGNISED = 500;
/** Number of events beyond {@link RECOGNISED} after which a new snapshot is saved. */
const SAVED_AFTER = 500;

type AnyDecider<S, E extends DomainEvent> = Decider<never, S, E, string>;

/**
 * Reads and folds aggregate streams. A stream that may grow long is not read from its start: a decider's memory or a
 * snapshot of its state limits how many events are read (ADR-97, ADR-110).
 */
export class AggregateReader {
  private readonly saving = new Set<string>();

  constructor(
    private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly snapshots: Snapshots | null,
  ) {}

  /** Reads the events that determine an aggregate's state, after a snapshot if there is one. @throws Unavailable */
  async read<S, E extends DomainEvent>(decider: AnyDecider<S, E>, stream: string): Promise<ReadAggregate<S>> {
    const { memory, snapshotVersion } = decider;
    const empty = emptyAggregate(decider);
    if (memory !== undefined) {
      const stored = await this.store.readStream(stream, { direction: 'backwards', limit: memory });
      return { before: empty, stored: stored.reverse() };
    }
    if (snapshotVersion === undefined || !this.snapshots)
      return { before: empty, stored: await this.store.readStream(stream) };
    const first = await this.store.readStream(stream, { limit: FIRST_PAGE });
    if (first.length < FIRST_PAGE) return { before: empty, stored: first };
    const fromSnapshot = await this.readFromSnapshot(decider, stream, null);
    return fromSnapshot ?? { before: empty, stored: [...first, ...(await this.readPages(stream, BigInt(FIRST_PAGE)))] };
  }

  /** Reads an aggregate's events up to a revision. @throws Unavailable */
  async readUpTo<S, E extends DomainEvent>(
    decider: AnyDecider<S, E>,
    id: string,
    revision: bigint,
  ): Promise<ReadAggregate<S>> {
    const stream = streamOf(decider, id);
    const fromSnapshot = revision < PAGE ? null : await this.readFromSnapshot(decider, stream, revision);
    if (fromSnapshot) return fromSnapshot;
    const stored = await this.store.readStream(stream, { limit: Number(revision) + 1 });
    return { before: emptyAggregate(decider), stored };
  }

  fold<S, E extends DomainEvent>(
    decider: AnyDecider<S, E>,
    stored: readonly StoredEvent[],
    before: LoadedAggregate<S>,
  ): LoadedAggregate<S> {
    let { state } = before;
    for (const event of stored) state = decider.evolve(state, this.codec.decode<E>(event) as unknown as E);
    const last = stored.at(-1);
    return last ? this.aggregateAt(state, last) : before;
  }

  /** Folds the events that were read, and saves a snapshot in the background if there were many. */
  foldAndSave<S, E extends DomainEvent>(
    decider: AnyDecider<S, E>,
    stream: string,
    { before, stored }: ReadAggregate<S>,
  ): LoadedAggregate<S> {
    const { snapshots } = this;
    const version = decider.snapshotVersion;
    if (!snapshots || version === undefined || stored.length < RECOGNISED + SAVED_AFTER || this.saving.has(stream))
      return this.fold(decider, stored, before);
    const snapshot = this.fold(decider, stored.slice(0, -RECOGNISED), before);
    const { revision, hash } = snapshot;
    this.saving.add(stream);
    void snapshots
      .save(stream, version, { revision, hash, state: JSON.stringify(snapshot.state) })
      .finally(() => this.saving.delete(stream));
    return this.fold(decider, stored.slice(-RECOGNISED), snapshot);
  }

  /**
   * Reads the events after a snapshot.
   * @param upTo last revision to read; null to read all
   * @returns null if there is no snapshot at or before this revision, or it does not match the stream
   */
  private async readFromSnapshot<S, E extends DomainEvent>(
    decider: AnyDecider<S, E>,
    stream: string,
    upTo: bigint | null,
  ): Promise<ReadAggregate<S> | null> {
    if (decider.snapshotVersion === undefined || !this.snapshots) return null;
    const snapshot = await this.snapshots.find(stream, decider.snapshotVersion);
    if (!snapshot || (upTo !== null && upTo < snapshot.revision)) return null;
    const [at, ...stored] = await this.readPages(stream, snapshot.revision, upTo);
    if (at?.revision !== snapshot.revision || this.codec.readEnvelope(at).hash !== snapshot.hash) return null;
    return { before: this.aggregateAt(JSON.parse(snapshot.state) as S, at), stored };
  }

  private async readPages(stream: string, from: bigint, upTo: bigint | null = null): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    for (let next = from; ;) {
      const limit = upTo === null ? PAGE : Math.min(PAGE, Number(upTo - next) + 1);
      if (limit <= 0) return found;
      const page = await this.store.readStream(stream, { from: next, limit });
      found.push(...page);
      if (page.length < limit) return found;
      next = page.at(-1)!.revision + 1n;
    }
  }

  private aggregateAt<S>(state: S, last: StoredEvent): LoadedAggregate<S> {
    return { state, revision: last.revision, position: last.position, hash: this.codec.readEnvelope(last).hash };
  }
}

/** Number of events in the first read, of which nothing is known, and in later ones. */
const BACKWARD_PAGE = { first: 8, most: 200 };
/** Size that a later read is expected to have, in characters, if its events are as large as those before. */
const PAGE_SIZE = 256 * 1_024;

/**
 * Reads a stream backwards, in pages that are small if its events are large, until the caller stops iterating.
 * @param from revision at which to start, inclusive; default: the last event
 * @throws Unavailable
 */
export async function* readBackwards(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from?: bigint,
): AsyncGenerator<StoredEvent, void> {
  let limit = BACKWARD_PAGE.first;
  for (let next = from; next === undefined || next >= 0n;) {
    const start = next === undefined ? {} : { from: next };
    const page = await store.readStream(stream, { direction: 'backwards', limit, ...start });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    next = last.revision - 1n;
    const size = page.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0) / page.length;
    limit = Math.min(Math.max(1, Math.floor(PAGE_SIZE / size)), BACKWARD_PAGE.most);
  }
}

/** Returns the newest event of a stream that meets a condition; null if there is none. @throws Unavailable */
export const findLast = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  condition: (event: StoredEvent) => boolean,
  from?: bigint,
): Promise<StoredEvent | null> => {
  for await (const event of readBackwards(store, stream, from)) if (condition(event)) return event;
  return null;
};

/** Returns the index of the first event after a position. The events must be in log order. */
export const indexAfter = (events: readonly StoredEvent[], position: Position): number => {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events[middle]!.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};
