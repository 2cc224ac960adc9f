import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, ShownAggregate } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { POOL } from '../../postgres/tokens.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { applyEvent, type Folded, inOrderOfTime, NOTHING_FOLDED } from '../aggregates/history-aggregate.js';

/** Where a fold stops: at the last event at or before a time, at a revision, or (default) at the end of the stream. */
export interface Until {
  readonly at?: Instant;
  readonly revision?: bigint;
}

/** The methods of {@link HistorySnapshotTable}. */
export type HistorySnapshots = Pick<HistorySnapshotTable, 'findBefore' | 'save'>;

type Row = { readonly revision: bigint; readonly at: bigint; readonly hash: string; readonly folded: string };

/**
 * Folded states at many revisions of long streams, in `ops_history_snapshot` (ADR-138). Its rows may be deleted at any
 * time. No method throws: without a snapshot, a stream is read from its start.
 */
@Injectable()
export class HistorySnapshotTable {
  private readonly failure = new RepeatedFailure();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Finds the newest snapshot at or before the end of a fold. */
  async findBefore({ version }: ShownAggregate, stream: string, until: Until): Promise<Folded | null> {
    const text = `
      select revision, at, hash, folded from ops_history_snapshot
      where stream = $1 and version = $2 and ($3::bigint is null or revision <= $3) and ($4::bigint is null or at <= $4)
      order by revision desc limit 1`;
    const values = [stream, version, until.revision ?? null, until.at ?? null];
    const found = await this.withoutFailure(() => this.pool.query<Row>(text, values));
    const row = found?.rows[0];
    if (!row) return null;
    const { state, changes } = JSON.parse(row.folded) as Pick<Folded, 'state' | 'changes'>;
    return { state, changes, revision: row.revision, at: Number(row.at), hash: row.hash };
  }

  /** Saves snapshots of a stream, and replaces any at the same revisions. */
  async save({ version }: ShownAggregate, stream: string, snapshots: readonly Folded[]): Promise<void> {
    const text = `
      insert into ops_history_snapshot (stream, version, revision, at, hash, folded)
      select $1, $2, * from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[])
      on conflict (stream, version, revision) do update
        set at = excluded.at, hash = excluded.hash, folded = excluded.folded`;
    const folded = snapshots.map(({ state, changes }) => JSON.stringify({ state, changes }));
    const values = [
      ...[stream, version, snapshots.map(({ revision }) => revision), snapshots.map(({ at }) => at)],
      ...[snapshots.map(({ hash }) => hash), folded],
    ];
    await this.withoutFailure(() => this.pool.query(text, values));
  }

  private async withoutFailure<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      this.failure.warn(this.log, error, 'a snapshot of history cannot be used; the stream is read from its start');
      return null;
    }
  }
}

/** The location of an aggregate's events: a whole stream or, for a post, part of the stream of its idempotency key. */
export interface AggregatePlace {
  readonly stream: string;
  /** Revision of its first event. */
  readonly first: bigint;
  /** Revision of its last event; null for the end of the stream. */
  readonly last: bigint | null;
  /** Only events that mention this id belong to the aggregate; null if all do. */
  readonly only: string | null;
}

/** Returns the place of an aggregate with a stream of its own. */
export const wholeStream = (stream: string): AggregatePlace => ({ stream, first: 0n, last: null, only: null });

/** Called for every event that is folded, with the aggregate before and after it. */
type StepListener = (before: Folded, after: Folded, event: RecordedEvent) => void;

const PAGE = 500;
/** Number of events after which a snapshot is saved. */
const SNAPSHOT_INTERVAL = 1_000n;

/**
 * Reconstructs aggregates as of a time or a revision from their streams: from the nearest snapshot, at most a thousand
 * events earlier. Missing snapshots are saved along the way (ADR-138).
 */
@Injectable()
export class HistoryReader {
  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
    @Inject(HistorySnapshotTable) private readonly snapshots: HistorySnapshots | null,
  ) {}

  /** Folds an aggregate up to a time or a revision. @throws Unavailable @throws UndecodableEvent */
  async foldUpTo(aggregate: ShownAggregate, place: AggregatePlace, until: Until = {}): Promise<Folded> {
    const snapshot = await this.findSnapshot(aggregate, place, until);
    return this.foldFrom(aggregate, place, snapshot ?? NOTHING_FOLDED, until);
  }

  /** Folds the events that follow an earlier result. @throws Unavailable @throws UndecodableEvent */
  async foldFrom(
    aggregate: ShownAggregate,
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
    if (passed.length > 0 && place.first === 0n && place.only === null)
      await this.snapshots?.save(aggregate, place.stream, passed);
    return folded;
  }

  /** Reads an aggregate's events, oldest first, in an inclusive range. @throws Unavailable @throws UndecodableEvent */
  async readEvents(
    aggregate: ShownAggregate,
    place: AggregatePlace,
    range: { readonly from: bigint; readonly to: bigint; readonly limit: number },
  ): Promise<RecordedEvent[]> {
    const from = range.from > place.first ? range.from : place.first;
    // Earlier events may raise the time of the first one, because times never decrease.
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
    aggregate: ShownAggregate,
    { stream, first, last, only }: AggregatePlace,
    until: Until,
  ): Promise<Folded | null> {
    // Querying the table costs as much as reading a page of events, so short streams skip it.
    if (!this.snapshots || first !== 0n || last !== null || only !== null || (until.revision ?? PAGE) < PAGE)
      return null;
    const [end] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (!end || end.revision + 1n < SNAPSHOT_INTERVAL) return null;
    const found = await this.snapshots.findBefore(aggregate, stream, until);
    if (!found) return null;
    // If one of the two databases was restored from a backup, the stream may differ from the snapshot.
    const [stored] = await this.store.readStream(stream, { from: found.revision, limit: 1 });
    const isSame = stored?.revision === found.revision && this.codec.readEnvelope(stored).hash === found.hash;
    return isSame ? found : null;
  }

  /** Reads an aggregate's stored events in pages. @param to inclusive; null for the end */
  private async *readEventsOf(
    { stream, first, last, only }: AggregatePlace,
    from: bigint,
    to: bigint | null,
  ): AsyncGenerator<StoredEvent, void> {
    const end = last === null ? to : to === null || last < to ? last : to;
    for (let next = from > first ? from : first; end === null || next <= end;) {
      const limit = end === null ? PAGE : Math.min(PAGE, Number(end - next) + 1);
      const page = await this.store.readStream(stream, { from: next, limit });
      for (const event of page) if (only === null || event.data.includes(only)) yield event;
      const newest = page.at(-1);
      if (!newest || page.length < limit) return;
      next = newest.revision + 1n;
      await yieldToEventLoop();
    }
  }
}
