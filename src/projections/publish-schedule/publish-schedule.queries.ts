import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore, type Position } from '../../event-store/port.js';
import { type Instant, MINUTE_MS } from '../../kernel/clock.js';
import { padPosition } from '../../kernel/position-text.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import { ProjectionProgress, READER_TIMEOUT_MS } from '../engine/progress.js';
import { POSTS } from '../posts/posts.tables.js';
import { computeDueTime, computeHoldEnd, type HeldPublication, type HoldingChannel, isSpaced } from './hold.js';
import {
  SCHEDULE,
  type ScheduledChange,
  type ScheduledChannel,
  type ScheduledPublication,
  selectQueue,
} from './publish-schedule.tables.js';

/** The next publications of a channel. */
export interface ChannelQueue {
  readonly head: ScheduledPublication;
  /** Earliest time at which the head may be published; a time in the past means now. */
  readonly due: Instant;
  /**
   * Publications that may follow a due head, in order, while this result is fresh. Excludes retries and publications
   * that are spaced or waiting for the quota.
   */
  readonly followers: readonly ScheduledPublication[];
}

/** A publication, and its owner. */
export interface OwnedPublication {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
  readonly ownerId: string;
}

interface QueueRequest {
  readonly channelId: string;
  readonly now: Instant;
}

interface QueueRow {
  readonly channel_id: string;
  readonly channel: ScheduledChannel;
  readonly publications: readonly ScheduledPublication[];
}

/** Maximum number of publications to read per channel. */
const MAX_QUEUE_LENGTH = 8;

/** Reads the publish schedule. Concurrent reads share a query. */
@Injectable()
export class PublishScheduleQueries {
  private readonly reads = new Batcher<QueueRequest, ChannelQueue | null>((requests) => this.readQueues(requests), {
    maxBatchSize: 100,
    concurrency: 2,
  });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /**
   * Reads the queue of a channel; null if it is empty, if the channel is disabled and not deleted, or during a recovery.
   */
  readQueue(channelId: string, now: Instant): Promise<ChannelQueue | null> {
    return this.reads.submit({ channelId, now });
  }

  /** Reads a publication whose messages are to be deleted now; null if there is nothing to do. */
  async readChange(publicationId: string, now: Instant): Promise<ScheduledChange | null> {
    const { rows } = await this.pool.query<ScheduledChange>({
      name: 'read change',
      text: `select * from ${SCHEDULE}.change where publication_id = $1 and next_due <= $2`,
      values: [publicationId, now],
    });
    return rows[0] ?? null;
  }

  /** Returns which of these publications are still queued on a channel whose head is due. */
  async findDue(publicationIds: readonly string[], now: Instant): Promise<string[]> {
    const { rows } = await this.pool.query<{ publication_id: string }>({
      name: 'publications that are still due',
      text: `
        select p.publication_id
        from ${SCHEDULE}.publication p join ${SCHEDULE}.channel c on c.channel_id = p.channel_id
        where p.publication_id = any($1) and p.state = 'queued' and c.enabled and not c.deleted and c.next_due <= $2`,
      values: [publicationIds, now],
    });
    return rows.map(({ publication_id }) => publication_id);
  }

  /** Finds publications that waited before a recovery and are not in doubt yet (D-80), in the order of their ids. */
  findUnmarked(position: Position, after: string, limit: number): Promise<readonly OwnedPublication[]> {
    const condition = `waits and queued_position < $1 and publication_id > $2`;
    return this.listOwned(condition, [padPosition(position), after, limit]);
  }

  /** Finds publications that are in doubt because of a recovery, in the order of their ids. @param ownerId null for all */
  findRestored(ownerId: string | null, after: string, limit: number): Promise<readonly OwnedPublication[]> {
    const condition = `is_restored and ($1::text is null or owner_id = $1) and publication_id > $2`;
    return this.listOwned(condition, [ownerId, after, limit]);
  }

  /**
   * Reads publications that are in doubt because of a recovery, in the order in which each channel would have sent them.
   * @param after the last one of the page before; null for the first page
   */
  async readRestored(
    after: Pick<ScheduledPublication, 'channel_id' | 'sequence'> | null,
    limit: number,
  ): Promise<readonly ScheduledPublication[]> {
    const { rows } = await this.pool.query<{ publication: ScheduledPublication }>(
      `select to_json(p) as publication from ${SCHEDULE}.scheduled_publication p
       where is_restored and (channel_id, sequence) > ($1, $2) order by channel_id, sequence limit $3`,
      [after?.channel_id ?? '', after?.sequence ?? 0, limit],
    );
    return rows.map(({ publication }) => publication);
  }

  private async listOwned(condition: string, values: readonly unknown[]): Promise<readonly OwnedPublication[]> {
    const { rows } = await this.pool.query<OwnedPublication>(
      `select publication_id as "publicationId", post_id as "postId", channel_id as "channelId", owner_id as "ownerId"
       from ${SCHEDULE}.publication where ${condition} order by publication_id limit $3`,
      [...values],
    );
    return rows;
  }

  private async readQueues(requests: readonly QueueRequest[]): Promise<(ChannelQueue | null)[]> {
    const { rows } = await this.pool.query<QueueRow>({
      name: 'read channel queues',
      text: `
        select c.channel_id, to_json(c) as channel, q.publications
        from unnest($1::text[], $2::bigint[]) request(channel_id, now)
        join ${SCHEDULE}.channel c on c.channel_id = request.channel_id and (c.enabled or c.deleted)
        join ops_recovery r on not r.is_open
        cross join lateral (
          select json_agg(p) filter (where p.queued_position >= r.position) as publications from (
            ${selectQueue('c.channel_id', 'c.first_waiting', 'request.now', MAX_QUEUE_LENGTH, SCHEDULE)}) p) q
        where q.publications is not null`,
      values: [requests.map(({ channelId }) => channelId), requests.map(({ now }) => now)],
    });
    const byChannel = new Map(rows.map((row) => [row.channel_id, row]));
    return requests.map(({ channelId }) => {
      const row = byChannel.get(channelId);
      return row ? this.toQueue(row) : null;
    });
  }

  private toQueue({ channel, publications }: QueueRow): ChannelQueue {
    const [head, ...behind] = publications as [ScheduledPublication, ...ScheduledPublication[]];
    const end = behind.findIndex(
      (row) => row.state !== 'queued' || row.attempt > 0 || row.retry_at > 0 || isSpaced(row, channel),
    );
    // Never null, because the query excludes disabled channels, the only channels without a due time.
    const due = computeDueTime(head, channel, this.minuteMs)!;
    return { head, due, followers: end < 0 ? behind : behind.slice(0, end) };
  }
}

/** A publication that is waiting for its first or next attempt. */
interface QueuedPublication {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}

/** The resource to find publications for. */
export type ResourceId =
  | { readonly channelId: string }
  | { readonly projectId: string }
  | { readonly endpointId: string }
  | { readonly ownerId: string };

/** Finds the queued publications of a resource, including publications that a pause delays. */
@Injectable()
export class QueuedPublications {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns up to `limit` publications, oldest first. Reads the whole schedule, so use it sparingly. */
  async findQueued(of: ResourceId, limit: number): Promise<readonly QueuedPublication[]> {
    const [source, condition, id] = sourceOf(of);
    const { rows } = await this.pool.query<QueuedPublication>(
      `select x.publication_id as "publicationId", x.post_id as "postId", x.channel_id as "channelId"
       from ${SCHEDULE}.publication x ${source}
       where x.state = 'queued' and ${condition} order by x.accepted_at, x.publication_id limit $2`,
      [id, limit],
    );
    return rows;
  }
}

const sourceOf = (of: ResourceId): readonly [source: string, condition: string, id: string] => {
  if ('channelId' in of) return ['', 'x.channel_id = $1', of.channelId];
  if ('projectId' in of) return ['', 'x.project_id = $1', of.projectId];
  if ('ownerId' in of) return ['', 'x.owner_id = $1', of.ownerId];
  return [`join ${POSTS}.post p on p.post_id = x.post_id`, 'p.endpoint_id = $1', of.endpointId];
};

/** Projects or channels whose pauses are about to change. */
export interface PauseChange {
  readonly ids: readonly string[];
  /** New end of the pauses, unless they already end later; null if they are lifted. */
  readonly until: Instant | null;
}

/**
 * How many of a channel's first publications to read: enough for all that were attempted or are waiting for the quota.
 */
const FIRST_OF_QUEUE = 20;

/** A channel's waiting publications that are delayed by the same holds. */
type PublicationGroup = HeldPublication &
  HoldingChannel & {
    /** The project whose pause delays them; null if none does. */
    readonly project_id: string | null;
    readonly channel_id: string;
    /** Number of publications; negative to subtract them from a group that contains them. */
    readonly publications: number;
  };

/**
 * Selects the groups. Delayed publications are counted from their queues' counters, a channel's undelayed publications
 * from index entries. Only a channel's first publications are read, because a publication that is being published does
 * not count, and a publication that is waiting for a retry or the quota has its own time.
 */
const SELECT_GROUPS = `
  with delayed as (
    select q.channel_id, o.project_id, o.ends_at, q.waiting
    from unnest($2::text[]) paused(project_id)
    join ${SCHEDULE}.project p on p.project_id = paused.project_id
    join ${SCHEDULE}.project_pause o on o.pause_id = p.pause_id and o.ends_at > $1
    join ${SCHEDULE}.paused_queue q on q.pause_id = o.pause_id
    where q.channel_id <> all($3)
    union all
    select q.channel_id, o.project_id, o.ends_at, q.waiting
    from ${SCHEDULE}.paused_queue q join ${SCHEDULE}.project_pause o on o.pause_id = q.pause_id
    where q.channel_id = any($3)),
  first as (
    select p.* from unnest($3::text[]) paused(channel_id)
    join ${SCHEDULE}.channel c on c.channel_id = paused.channel_id
    cross join lateral (${selectQueue('c.channel_id', 'c.first_waiting', '$1', FIRST_OF_QUEUE, SCHEDULE)}) p
    where p.state <> 'queued' or p.retry_at > $1),
  counted as (
    select channel_id, project_id, ends_at as not_before, 0 as retry_at, waiting as publications from delayed
    union all
    select paused.channel_id, null, 0, 0, (
      select count(*) from ${SCHEDULE}.publication p
      where p.channel_id = paused.channel_id and p.waits and p.project_pause_id is null)
    from unnest($3::text[]) paused(channel_id)
    union all
    select channel_id, null, not_before, 0, -1 from first
    union all
    select channel_id, null, not_before, retry_at, 1 from first where state = 'queued')
  select coalesce(json_agg(json_build_object(
    'project_id', g.project_id, 'channel_id', g.channel_id, 'not_before', g.not_before, 'retry_at', g.retry_at,
    'paused_until', c.paused_until, 'attention_until', c.attention_until, 'publications', g.publications)), '[]') as groups
  from counted g join ${SCHEDULE}.channel c on c.channel_id = g.channel_id`;

/**
 * Counts the waiting publications whose earliest time changes when a pause is set, extended or lifted (D-21). That time
 * depends on pauses, on a retry, and on whether the channel needs attention. A project's pause delays the posts
 * accepted during the pause; a channel's pause delays all posts. Backlog spacing is ignored.
 */
@Injectable()
export class CountRescheduled {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute(at: Instant, projects: PauseChange, channels: PauseChange): Promise<number> {
    await this.progress.waitFor(['publish-schedule'], await this.store.readHead(), READER_TIMEOUT_MS);
    const { rows } = await this.pool.query<{ groups: readonly PublicationGroup[] }>({
      name: 'group publications by holds',
      text: SELECT_GROUPS,
      values: [at, projects.ids, channels.ids],
    });
    let count = 0;
    for (const group of rows[0]!.groups) {
      const after = { ...group };
      if (group.project_id !== null && group.not_before > at && projects.ids.includes(group.project_id))
        after.not_before = changeEnd(group.not_before, projects.until);
      if (channels.ids.includes(group.channel_id)) after.paused_until = changeEnd(group.paused_until, channels.until);
      const [endBefore, endAfter] = [group, after].map((holds) => Math.max(at, computeHoldEnd(holds, holds)));
      if (endBefore !== endAfter) count += group.publications;
    }
    return count;
  }
}

/** A pause is never shortened, only lifted. */
const changeEnd = (end: Instant, until: Instant | null): Instant => (until === null ? 0 : Math.max(end, until));
