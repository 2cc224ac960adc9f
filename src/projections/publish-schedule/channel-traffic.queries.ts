import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { POSTS } from '../posts/posts.tables.js';
import { SCHEDULE } from './publish-schedule.tables.js';

/** What goes through a channel. */
export interface ChannelTraffic {
  /** Number of publications that are queued or being published, up to {@link MOST_COUNTED}. */
  readonly waiting: number;
  /** Time of the newest publication; null if there is none. */
  readonly lastPublishedAt: Instant | null;
}

/** Highest number of waiting publications that are counted one by one. */
const MOST_COUNTED = 10_000;
/** How many publications are searched for a published one, from the newest. */
const MOST_SEARCHED = 20_000;

const NONE: ChannelTraffic = { waiting: 0, lastPublishedAt: null };

/** Reads the traffic of channels, of a whole list in one statement. */
@Injectable()
export class ChannelTrafficQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns a function that finds the traffic of one of the channels. */
  async read(channelIds: readonly string[]): Promise<(channelId: string) => ChannelTraffic> {
    const { rows } = await this.pool.query<ChannelTraffic & { id: string }>({
      name: 'traffic of channels',
      text: `
        select w.id,
          least(${MOST_COUNTED}, (select count(*) from (
              select from ${SCHEDULE}.publication p
              where p.channel_id = w.id and p.sequence >= c.first_waiting and p.waits and p.project_pause_id is null
              limit ${MOST_COUNTED}) undelayed)
            + coalesce((select sum(waiting) from ${SCHEDULE}.paused_queue q where q.channel_id = w.id), 0))::int as waiting,
          (select x.published_at::float8 from (
             select published_at from ${POSTS}.publication x where x.channel_id = w.id and x.sequence is not null
             order by x.sequence desc limit ${MOST_SEARCHED}) x
           where x.published_at is not null limit 1) as "lastPublishedAt"
        from unnest($1::text[]) w(id) left join ${SCHEDULE}.channel c on c.channel_id = w.id`,
      values: [channelIds],
    });
    const found = new Map(rows.map(({ id, ...traffic }) => [id, traffic]));
    return (channelId) => found.get(channelId) ?? NONE;
  }
}
