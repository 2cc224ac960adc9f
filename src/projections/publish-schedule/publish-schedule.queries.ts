import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import { MINUTE_MS } from '../../kernel/clock.js';
import type { Instant } from '../../kernel/instant.js';
import { padPosition } from '../../kernel/position-text.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import { computeDueTime, isSpaced } from './hold.js';
import { SCHEDULE, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';
import { selectQueue } from './queue.sql.js';

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
