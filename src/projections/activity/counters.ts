import type { Instant } from '../../kernel/clock.js';
import type { Tx } from '../engine/projection.js';
import { type RowCache, Rows, type RowTable } from '../engine/rows.js';
import {
  ALL_OWNERS,
  type Latencies,
  type MinuteRow,
  minuteRows,
  type TenMinutesRow,
  tenMinutesRows,
} from './activity.tables.js';

/** Natural logarithm of the ratio between the bounds of a latency class, which makes percentiles accurate to 5 %. */
const RATIO = Math.log(1.05);

/** Returns the class of a latency in ms. Negative latencies (due to clock differences) count as 0. */
export const classOfLatency = (ms: number): string => String(Math.ceil(Math.log(Math.max(1, ms)) / RATIO));

/**
 * Returns a latency percentile: the time in ms within which this share of publications was published, rounded up to the
 * bound of its latency class. Null if there are no publications.
 * @param share above 0, at most 1
 */
export const findPercentile = (all: readonly Latencies[], share: number): number | null => {
  const counts = new Map<number, number>();
  let total = 0;
  for (const latencies of all)
    for (const [name, count] of Object.entries(latencies)) {
      counts.set(Number(name), (counts.get(Number(name)) ?? 0) + count);
      total += count;
    }
  let left = Math.ceil(total * share);
  for (const [latencyClass, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Math.round(Math.exp(latencyClass * RATIO));
  }
  return null;
};

/** A batch's counts for one interval. */
interface Counted<Row> {
  readonly row: Row;
  /** True if the batch also counted another interval in this row, so the stored row is outdated. */
  readonly replaces: boolean;
}

/**
 * Counts events by interval in rings of rows. An interval starts at its row's `at` and reuses the row of the interval
 * one turn earlier. Rows depend only on the times of events, so a rebuild yields the same rows.
 */
export class RingCounters<Row extends { readonly at: Instant }> {
  private readonly counted = new Map<string, Counted<Row>>();

  /**
   * @param intervalMs length of an interval
   * @param size number of intervals in a turn; more than readers see, because events may arrive a little late
   */
  constructor(
    private readonly table: RowTable<Row>,
    private readonly intervalMs: number,
    private readonly size: number,
    private readonly add: (to: Row, counts: Row) => Row,
  ) {}

  /**
   * Adds counts to the interval that contains a time.
   * @param series the first part of the key, which distinguishes the rings of a table
   * @param build builds a row with the counts
   */
  count(series: string, at: Instant, build: (key: string, start: Instant) => Row): void {
    const start = at - (at % this.intervalMs);
    const key = `${series}/${(start / this.intervalMs) % this.size}`;
    const counts = build(key, start);
    const known = this.counted.get(key);
    if (!known) this.counted.set(key, { row: counts, replaces: false });
    else if (known.row.at !== start) this.counted.set(key, { row: counts, replaces: true });
    else this.counted.set(key, { ...known, row: this.add(known.row, counts) });
  }

  /** Adds the counts of the batch to the rows of the table. */
  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.counted.size === 0) return;
    const rows = await Rows.load(tx, this.table, this.counted.keys(), cache);
    for (const [key, { row, replaces }] of this.counted) {
      const stored = rows.get(key);
      rows.put(!replaces && stored?.at === row.at ? this.add(stored, row) : row);
    }
    await rows.flush();
  }
}

const MINUTE = 60_000;
/** Ring sizes: slightly more than the 60 minutes and 144 ten-minute intervals that readers see. */
const MINUTES = 64;
const TEN_MINUTES = 150;

type MinuteCounts = Pick<MinuteRow, 'published' | 'failed' | 'in_doubt' | 'refused' | 'latencies'>;

const NO_COUNTS: MinuteCounts = { published: 0, failed: 0, in_doubt: 0, refused: 0, latencies: {} };

/** Counts all events by owner and time, and publication outcomes by network as well. */
export class EventCounters {
  private readonly minutes = new RingCounters<MinuteRow>(minuteRows, MINUTE, MINUTES, addMinute);
  private readonly tenMinutes = new RingCounters<TenMinutesRow>(
    tenMinutesRows,
    10 * MINUTE,
    TEN_MINUTES,
    addTenMinutes,
  );

  /** @param ownerId null for an event without an owner, which counts only toward the totals of all owners */
  countEvent(ownerId: string | null, at: Instant): void {
    for (const owner of ownerId === null ? [ALL_OWNERS] : [ownerId, ALL_OWNERS])
      this.addTenMinutes(owner, at, { events: 1, failed: 0, in_doubt: 0 });
  }

  /** Counts an attempt; absent counts are zero. */
  countPublication(
    { owner_id, platform }: Pick<MinuteRow, 'owner_id' | 'platform'>,
    at: Instant,
    counted: Partial<MinuteCounts>,
  ): void {
    const counts = { ...NO_COUNTS, ...counted };
    const { failed, in_doubt } = counts;
    for (const owner of [owner_id, ALL_OWNERS]) {
      this.minutes.count(`${owner}/${platform}`, at, (minute_key, start) => ({
        minute_key,
        owner_id: owner,
        platform,
        at: start,
        ...counts,
      }));
      if (failed + in_doubt > 0) this.addTenMinutes(owner, at, { events: 0, failed, in_doubt });
    }
  }

  private addTenMinutes(
    owner_id: string,
    time: Instant,
    counts: Pick<TenMinutesRow, 'events' | 'failed' | 'in_doubt'>,
  ): void {
    this.tenMinutes.count(owner_id, time, (ten_minutes_key, at) => ({ ten_minutes_key, owner_id, at, ...counts }));
  }

  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    await this.minutes.flush(tx, cache);
    await this.tenMinutes.flush(tx, cache);
  }
}

const addMinute = (to: MinuteRow, counts: MinuteRow): MinuteRow => {
  const latencies = { ...to.latencies };
  for (const [name, count] of Object.entries(counts.latencies)) latencies[name] = (latencies[name] ?? 0) + count;
  return {
    ...to,
    published: to.published + counts.published,
    failed: to.failed + counts.failed,
    in_doubt: to.in_doubt + counts.in_doubt,
    refused: to.refused + counts.refused,
    latencies,
  };
};

const addTenMinutes = (to: TenMinutesRow, counts: TenMinutesRow): TenMinutesRow => ({
  ...to,
  events: to.events + counts.events,
  failed: to.failed + counts.failed,
  in_doubt: to.in_doubt + counts.in_doubt,
});
