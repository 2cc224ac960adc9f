import type { Pool, PoolClient } from 'pg';
import type { EventCodec } from '../../../event-store/codec.js';
import { isFullPage } from '../../../event-store/page-size.js';
import { BEGINNING, type EventStore, type Position, type StoredEvent } from '../../../event-store/port.js';
import { withTransaction } from '../../../postgres/pool.js';
import { isUnavailable } from '../../../postgres/unavailable.js';
import { isDeleted } from '../deleted-streams.js';
import type { Projection } from '../projection.js';
import { RowCache } from '../rows.js';
import { readSkippedEvents } from '../skipped-events.js';

/** Dependencies of a replay. */
export interface ReplayDependencies {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readAll' | 'readStream'>;
  readonly codec: EventCodec;
}

const BATCH = 500;

/** Applies the events after a position to a projection's tables in a schema. */
export class Replay {
  private skipped: ReadonlySet<string> = new Set();
  private cache = new RowCache();
  private readonly except: readonly string[];

  constructor(
    private readonly deps: ReplayDependencies,
    private readonly projection: Projection,
    private readonly schema: string,
    /** Position that the tables have reached. */
    public position: Position = BEGINNING,
  ) {
    const { handles = () => true } = projection;
    this.except = deps.codec.types.filter((type) => !handles(type));
  }

  /** Creates the tables, replacing tables that an interrupted replay left behind. */
  async createTables(): Promise<void> {
    await this.drop();
    await withTransaction(this.deps.pool, (tx) =>
      tx.query(`create schema ${this.schema}; set local search_path to ${this.schema}; ${this.projection.tables}`),
    );
  }

  /** Loads the list of events that may fail. Call it before the first batch. */
  async start(): Promise<void> {
    this.skipped = await readSkippedEvents(this.deps.store, this.deps.codec, this.projection.name);
  }

  async drop(): Promise<void> {
    await this.deps.pool.query(`drop schema if exists ${this.schema} cascade`);
  }

  /** True if a single batch reaches the position. */
  async isWithinBatch(position: Position): Promise<boolean> {
    return !isFullPage(await this.read(position), BATCH);
  }

  /** Applies the next batch of events, up to and including the given position. */
  async advance(tx: PoolClient, until: Position): Promise<void> {
    const read = await this.read(until);
    const events = read.filter(({ type }) => this.projection.handles?.(type) ?? true);
    if (events.length > 0) {
      await tx.query(`set local search_path to ${this.schema}, public; set local synchronous_commit to off`);
      await this.apply(tx, events);
    }
    this.position = isFullPage(read, BATCH) ? read.at(-1)!.position : until;
  }

  /** Copies rows from the tables in another schema if their events are gone. */
  async carryOver(tx: PoolClient, from: string): Promise<void> {
    if (!this.projection.carryOver) return;
    await tx.query(`set local search_path to ${this.schema}, public`);
    await this.projection.carryOver(tx, from, this.position, (stream) => isDeleted(this.deps.store, stream));
  }

  private async apply(tx: PoolClient, events: readonly StoredEvent[]): Promise<void> {
    const at = events.findIndex(({ id }) => this.skipped.has(id));
    const sound = at < 0 ? events : events.slice(0, at);
    if (sound.length > 0) await this.applyWith(tx, sound, this.cache);
    if (at < 0) return;
    await this.trySkipped(tx, events[at]!);
    await this.apply(tx, events.slice(at + 1));
  }

  /** Applies a skipped event, or leaves it out if that fails, as a lane does (ADR-285). */
  private async trySkipped(tx: PoolClient, event: StoredEvent): Promise<void> {
    await tx.query('savepoint skipped');
    try {
      await this.applyWith(tx, [event], new RowCache());
      this.cache = new RowCache(); // its rows may be older
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await tx.query('rollback to savepoint skipped');
    }
  }

  private applyWith(tx: PoolClient, events: readonly StoredEvent[], cache: RowCache): Promise<void> {
    return this.projection.apply(
      tx,
      events.map((event) => this.deps.codec.decode(event)),
      cache,
    );
  }

  private async read(until: Position): Promise<StoredEvent[]> {
    const events = await this.deps.store.readAll({ after: this.position, limit: BATCH, except: this.except });
    return events.filter(({ position }) => position <= until);
  }
}
