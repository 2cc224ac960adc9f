import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { EndpointEvent } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { ChannelPauseEvent } from '../../domain/pause/pause.events.js';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { ProjectEvent } from '../../domain/project/project.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { WebhookOutputEvent } from '../../domain/webhook-output/webhook-output.events.js';
import type { Instant } from '../../kernel/clock.js';
import { ownerOfActor, type RecordedEvent, type RecordedEventOf } from '../../kernel/events.js';
import type { RowOfTable, Tx } from '../engine/projection.js';
import { type RowCache, Rows, type RowTable } from '../engine/rows.js';
import type { PlannedTargets } from '../planned-targets.js';
import { listResourceIds } from '../resource-ids.js';
import type { Standings } from './activity.projection.js';
import {
  type AlertRow,
  ALL_OWNERS,
  feedEndRows,
  type FeedRow,
  feedRows,
  type Latencies,
  type MinuteRow,
  minuteRows,
  type OpenPublicationRow,
  type ResourceRow,
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

/** An event that changes rows of the read model; events of all other types are only counted. */
export type HandledEvent = RecordedEventOf<
  | OwnerEvent
  | ChannelEvent
  | ChannelPauseEvent
  | ProjectEvent
  | EndpointEvent
  | WebhookOutputEvent
  | PostEvent
  | PublicationEvent
>;

/** The rows and counts that a batch changes. */
export interface ActivityBatch {
  readonly tx: Tx;
  readonly resources: Rows<ResourceRow>;
  readonly publications: Rows<OpenPublicationRow>;
  readonly planned: PlannedTargets;
  readonly alerts: Rows<AlertRow>;
  readonly standings: Standings;
  readonly counters: EventCounters;
  readonly feed: Feed;
}

/** Number of entries in each feed. Readers see fewer, because they see only the latest entry of each publication. */
export const FEED_SIZE = 60;

type FeedEntry = Omit<FeedRow, 'feed_key' | 'owner_id' | 'number'>;

/** Returns the key of the entry with this number. */
export const feedKey = (ownerId: string, number: number): string => `${ownerId}/${number % FEED_SIZE}`;

/** Collects the entries of a batch for each owner's feed and for the feed of all owners. */
export class Feed {
  private readonly entries = new Map<string, FeedEntry[]>();

  add(ownerId: string, entry: FeedEntry): void {
    for (const owner of [ownerId, ALL_OWNERS]) {
      const known = this.entries.get(owner);
      if (known) known.push(entry);
      else this.entries.set(owner, [entry]);
    }
  }

  /** Writes the latest entries. */
  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.entries.size === 0) return;
    const ends = await Rows.load<RowOfTable<typeof feedEndRows>>(tx, feedEndRows, this.entries.keys(), cache);
    const written: FeedRow[] = [];
    for (const [ownerId, entries] of this.entries) {
      const first = ends.get(ownerId)?.entries ?? 0;
      ends.put({ owner_id: ownerId, entries: first + entries.length });
      for (const [i, entry] of entries.entries()) {
        if (i < entries.length - FEED_SIZE) continue;
        const number = first + i;
        written.push({ feed_key: feedKey(ownerId, number), owner_id: ownerId, number, ...entry });
      }
    }
    // Loaded to update existing rows instead of inserting them; their content does not matter.
    const keys = written.map(({ feed_key }) => feed_key);
    const rows = await Rows.load(tx, feedRows, keys, cache);
    for (const row of written) rows.put(row);
    await ends.flush();
    await rows.flush();
  }
}

/**
 * Returns the owner to whom an event belongs. Null if neither its resources nor its actor belong to a known owner, as
 * for an operator's command to a saga.
 */
export const ownerOf = (event: RecordedEvent, resources: Rows<ResourceRow>): string | null => {
  const rows = listResourceIds(event).map((id) => resources.get(id));
  return rows.find((row) => row !== undefined)?.owner_id ?? ownerOfActor(event.actor);
};

/** Records new resources with their owners, and marks deleted channels. */
export const handleResource = (event: HandledEvent, { resources }: ActivityBatch): void => {
  const put = (resource_id: string, owner_id: string, platform: string | null = null): void =>
    void resources.put({ resource_id, owner_id, platform, is_deleted: false });
  switch (event.type) {
    case 'OwnerRegistered':
      return put(event.data.ownerId, event.data.ownerId);
    case 'ChannelConnected':
      return put(event.data.channelId, event.data.ownerId, event.data.platform);
    case 'ProjectCreated':
      return put(event.data.projectId, event.data.ownerId);
    case 'EndpointCreated':
      return put(event.data.endpointId, event.data.ownerId);
    case 'WebhookOutputCreated':
      return put(event.data.outputId, event.data.ownerId);
    case 'ChannelDeleted':
      return void resources.patch(event.data.channelId, { is_deleted: true });
    default:
      return;
  }
};
