import type { Instant } from '../../kernel/instant.js';
import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { ALL_OWNERS, type MinuteRow, minuteRows, type TenMinutesRow, tenMinutesRows } from './activity.tables.js';
import { RingCounters } from './ring-counters.js';

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
