import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore, StoredEvent } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import {
  applyEvent,
  type Folded,
  type HistoryAggregate,
  inOrderOfTime,
  NOTHING_FOLDED,
} from '../aggregates/history-aggregate.js';
import type { HistorySnapshots, Until } from './history-snapshots.js';

/** The events of one aggregate: a stream, or for a post the part of a key's stream that concerns it. */
export interface AggregatePlace {
  readonly stream: string;
  /** Revision of its first event. */
  readonly first: bigint;
  /** Revision of its last event; null: the end of the stream. */
  readonly last: bigint | null;
}

/** Receives every event that is folded, with the aggregate before and after it. */
type StepListener = (before: Folded, after: Folded, event: RecordedEvent) => void;

/** Events of one read. */
const PAGE = 500;
/** A snapshot is saved after each of so many events. */
const SNAPSHOT_INTERVAL = 1_000n;

/**
 * Folds aggregates as they stood at a time or after a revision. Only the aggregate's stream is read; of a long one the part
 * after the nearest snapshot, at most a thousand events. Missing snapshots are saved on the way (ADR-138).
 */
export class HistoryReader {
  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
    private readonly snapshots: HistorySnapshots | null,
  ) {}

  /** Folds an aggregate up to a time or a revision. @throws Unavailable @throws UndecodableEvent */
  async foldUpTo(aggregate: HistoryAggregate, place: AggregatePlace, until: Until = {}): Promise<Folded> {
    const snapshot = await this.findSnapshot(aggregate, place, until);
    return this.foldFrom(aggregate, place, snapshot ?? NOTHING_FOLDED, until);
  }

  /**
   * Folds the events that follow an earlier result.
   * @param onStep called for each event
   * @throws Unavailable @throws UndecodableEvent
   */
  async foldFrom(
    aggregate: HistoryAggregate,
    place: AggregatePlace,
    after: Folded,
    until: Until,
    onStep?: StepListener,
  ): Promise<Folded> {
    let folded = after;
    const passed: Folded[] = [];
    for await (const stored of this.readEventsOf(place, after.revision + 1n, until.revision ?? null)) {
      const event = inOrderOfTime(this.codec.decode(stored), folded);
      if (until.at !== undefined && event.at > until.at) break;
      const next = applyEvent(aggregate, folded, event);
      onStep?.(folded, next, event);
      folded = next;
      if ((next.revision + 1n) % SNAPSHOT_INTERVAL === 0n) passed.push(next);
    }
    if (passed.length > 0 && place.first === 0n) await this.snapshots?.save(aggregate, place.stream, passed);
    return folded;
  }

  /**
   * Reads events of an aggregate, the oldest first, from a revision to another, both included.
   * @throws Unavailable @throws UndecodableEvent
   */
  async readEvents(
    aggregate: HistoryAggregate,
    place: AggregatePlace,
    range: { readonly from: bigint; readonly to: bigint; readonly limit: number },
  ): Promise<RecordedEvent[]> {
    const from = range.from > place.first ? range.from : place.first;
    // Times that do not run backwards depend on the events in front.
    let before: Pick<Folded, 'at'> =
      from > place.first ? await this.foldUpTo(aggregate, place, { revision: from - 1n }) : NOTHING_FOLDED;
    const events: RecordedEvent[] = [];
    for await (const stored of this.readEventsOf(place, from, range.to)) {
      const event = inOrderOfTime(this.codec.decode(stored), before);
      events.push(event);
      if (events.length >= range.limit) break;
      before = event;
    }
    return events;
  }

  private async findSnapshot(
    aggregate: HistoryAggregate,
    { stream, first, last }: AggregatePlace,
    until: Until,
  ): Promise<Folded | null> {
    // A look at the table costs as much as a page of events: short streams need none.
    if (!this.snapshots || first !== 0n || last !== null || (until.revision ?? PAGE) < PAGE) return null;
    const [end] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (!end || end.revision + 1n < SNAPSHOT_INTERVAL) return null;
    const found = await this.snapshots.findBefore(aggregate, stream, until);
    if (!found) return null;
    // After a restore of one of two databases the stream may have another history than the snapshot.
    const [stored] = await this.store.readStream(stream, { from: found.revision, limit: 1 });
    const isSame = stored?.revision === found.revision && this.codec.readEnvelope(stored).hash === found.hash;
    return isSame ? found : null;
  }

  /** Reads an aggregate's stored events in pages, from a revision to another; null: to the end. */
  private async *readEventsOf(
    { stream, first, last }: AggregatePlace,
    from: bigint,
    to: bigint | null,
  ): AsyncGenerator<StoredEvent, void> {
    const end = last === null ? to : to === null || last < to ? last : to;
    for (let next = from > first ? from : first; end === null || next <= end;) {
      const limit = end === null ? PAGE : Math.min(PAGE, Number(end - next) + 1);
      const page = await this.store.readStream(stream, { from: next, limit });
      yield* page;
      const newest = page.at(-1);
      if (!newest || page.length < limit) return;
      next = newest.revision + 1n;
      await yieldToEventLoop();
    }
  }
}
