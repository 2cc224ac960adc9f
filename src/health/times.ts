import type { Pool } from 'pg';
import type { EventCodec } from '../event-store/codec.js';
import type { EventStore, Position } from '../event-store/port.js';
import type { Clock, Instant } from '../kernel/clock.js';
import { SharedResult } from '../runtime/shared-result.js';

/** How far the process's clock is ahead of the database's, in ms; negative if it is behind. */
export interface MeasuredDifference {
  readonly ms: number;
  /** The true difference is at most this much smaller or larger, in ms: half the time that the database took to answer. */
  readonly uncertaintyMs: number;
}

/** Largest difference between the clocks of a process and the database, in ms (D-85). */
const TOLERATED_MS = 5_000;
/** How long a measurement is reused, in ms. */
const KEPT_MS = 1_000;

/** True if the clocks differ by more than 5 s, however long the database took to answer (D-85). */
export const isTooFarApart = ({ ms, uncertaintyMs }: MeasuredDifference): boolean =>
  Math.abs(ms) - uncertaintyMs > TOLERATED_MS;

/** Compares the process's clock with the database's. */
export class ClockDifference {
  private readonly measured = new SharedResult(() => this.measure(), KEPT_MS);

  /** @param clock the process's clock */
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly clock: Clock,
  ) {}

  /** Returns a measurement that is at most a second old. @throws Error if the database does not respond */
  read(): Promise<MeasuredDifference> {
    return this.measured.get();
  }

  /** The database read its clock at some time between the request and its answer, on average in the middle. */
  private async measure(): Promise<MeasuredDifference> {
    const [sentAt, sentTime] = [performance.now(), this.clock.now()];
    const { rows } = await this.pool.query<{ time: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as time',
    );
    // The answer's time is not read from the process's clock, which may be set in the meantime.
    const uncertaintyMs = (performance.now() - sentAt) / 2;
    return { ms: sentTime + uncertaintyMs - rows[0]!.time, uncertaintyMs };
  }
}

/** Reads when events were written. */
export class EventTimes {
  constructor(
    private readonly store: Pick<EventStore, 'readAll'>,
    private readonly codec: Pick<EventCodec, 'readEnvelope'>,
  ) {}

  /** Reads the time of the event after a position: `none` if there is no such event, null if the event is damaged. */
  async readAfter(position: Position): Promise<Instant | 'none' | null> {
    const [next] = await this.store.readAll({ after: position, limit: 1 });
    if (!next) return 'none';
    try {
      const { at } = this.codec.readEnvelope(next);
      return Number.isFinite(at) ? at : null;
    } catch {
      return null;
    }
  }
}
