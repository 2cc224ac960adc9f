import type { Pool } from 'pg';
import type { EventStore, Position, StoredEvent } from '../../event-store/port.js';

/** An event and the lane in which a saga handles it. */
export interface LaneEvent {
  readonly lane: string;
  readonly stored: StoredEvent;
}

/** Bounds of a page, so that lanes hold few events in memory. */
const PAGE = { events: 50, bytes: 1_048_576 };

/** Returns an event's size in memory, roughly in bytes. */
export const sizeOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

interface ParkedRow {
  readonly position: Position;
  readonly event_id: string;
  readonly stream: string;
  readonly revision: bigint;
}

/** The events below a saga's checkpoint that the saga has not handled yet; {@link SagaCheckpoint} adds them. */
export class ParkedEvents {
  /** @param key `saga/<name>` */
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly key: string,
  ) {}

  /** Lists the lanes that have parked events. */
  async listLanes(): Promise<readonly string[]> {
    const text = 'select distinct lane from ops_parked_event where saga = $1';
    const { rows } = await this.pool.query<{ lane: string }>(text, [this.key]);
    return rows.map(({ lane }) => lane);
  }

  /**
   * Reads a lane's next events, in order; none if the lane has no parked events. Removes events that the log no longer
   * contains.
   * @throws Unavailable
   */
  async readPage(lane: string): Promise<StoredEvent[]> {
    for (;;) {
      const { rows } = await this.pool.query<ParkedRow>(
        `select position, event_id, stream, revision from (
           select *, sum(bytes) over (order by position) - bytes as bytes_before from (
             select * from ops_parked_event where saga = $1 and lane = $2 order by position limit $3) first) page
         where bytes_before < $4 order by position`,
        [this.key, lane, PAGE.events, PAGE.bytes],
      );
      const found = await Promise.all(rows.map((row) => this.readEvent(row)));
      await this.remove(rows.filter((_, i) => !found[i]).map(({ position }) => position));
      const events = found.filter((event) => event !== null);
      if (events.length > 0 || rows.length === 0) return events;
    }
  }

  /** Removes handled events. */
  async remove(positions: readonly Position[]): Promise<void> {
    if (positions.length === 0) return;
    const text = 'delete from ops_parked_event where saga = $1 and position = any($2)';
    await this.pool.query(text, [this.key, positions]);
  }

  /** Returns null if the event was deleted, or the store's log has been replaced. */
  private async readEvent({ stream, revision, event_id }: ParkedRow): Promise<StoredEvent | null> {
    const [event] = await this.store.readStream(stream, { from: revision, limit: 1 });
    return event?.id === event_id ? event : null;
  }
}
