import type { Instant } from '../../kernel/instant.js';
import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { ALL_OWNERS, type MinuteRow, minuteRows, type TenMinutesRow, tenMinutesRows } from './activity.tables.js';
import { classOfLatency } from './latency-histogram.js';
import { RingCounters } from './ring-counters.js';

const MINUTE = 60_000;
/** Ring sizes, slightly more than the 60 minutes and 144 ten-minute intervals that readers see. */
const MINUTES = 64;
const TEN_MINUTES = 150;

/** The outcome of a publication attempt, to be counted. */
export interface CountedPublication {
  readonly at: Instant;
  readonly ownerId: string;
  readonly platform: string;
  readonly outcome: 'published' | 'failed' | 'in_doubt' | 'postponed';
  /** True if the network refused the attempt. */
  readonly isRefused: boolean;
  /** Time from acceptance to publication, in ms; null if it was not published. */
  readonly latencyMs: number | null;
}

/** Counts all events by owner and time, and the outcomes of publications also by network. */
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
      this.tenMinutes.count(owner, at, (ten_minutes_key, start) => ({
        ten_minutes_key,
        owner_id: owner,
        at: start,
        events: 1,
        failed: 0,
        in_doubt: 0,
      }));
  }

  countPublication({ at, ownerId, platform, outcome, isRefused, latencyMs }: CountedPublication): void {
    const [failed, in_doubt] = [Number(outcome === 'failed'), Number(outcome === 'in_doubt')];
    for (const owner of [ownerId, ALL_OWNERS]) {
      this.minutes.count(`${owner}/${platform}`, at, (minute_key, start) => ({
        minute_key,
        owner_id: owner,
        platform,
        at: start,
        published: Number(outcome === 'published'),
        failed,
        in_doubt,
        refused: Number(isRefused),
        latencies: latencyMs === null ? {} : { [classOfLatency(latencyMs)]: 1 },
      }));
      if (failed + in_doubt > 0)
        this.tenMinutes.count(owner, at, (ten_minutes_key, start) => ({
          ten_minutes_key,
          owner_id: owner,
          at: start,
          events: 0,
          failed,
          in_doubt,
        }));
    }
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
