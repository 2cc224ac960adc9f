import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { isSpaced, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';

/** A channel's head and when it may go. */
export interface Head {
  readonly publication: ScheduledPublication;
  /** Moment from which it may be published; in the past: now. */
  readonly due: Instant;
}

/** Reads the publish schedule. */
export class PublishScheduleQueries {
  /** @param minuteMs spacing of a pause's backlog (D-21) */
  constructor(
    private readonly pool: Pool,
    private readonly minuteMs: number,
  ) {}

  /** The publication that goes next on a channel, or null: the first in order that no project's pause holds back. */
  async head(channelId: string, now: Instant): Promise<Head | null> {
    const { rows } = await this.pool.query<{ publication: ScheduledPublication; channel: ScheduledChannel }>({
      name: 'schedule head',
      text: `
        select to_jsonb(p) as publication, to_jsonb(c) as channel
        from publish_schedule.channel c join lateral (
          select * from publish_schedule.publication p
          where p.channel_id = c.channel_id and p.state in ('queued', 'publishing') and p.not_before <= $2
          order by p.sequence limit 1) p on true
        where c.channel_id = $1 and c.enabled`,
      values: [channelId, now],
    });
    if (!rows[0]) return null;
    const { publication, channel } = rows[0];
    return { publication, due: this.due(publication, channel) };
  }

  /** The earliest moment after `now` at which some channel may go; null: none is waiting. */
  async nextDue(now: Instant): Promise<Instant | null> {
    const { rows } = await this.pool.query<{ at: bigint | null }>({
      name: 'schedule next due',
      text: 'select min(next_due) as at from publish_schedule.channel where next_due > $1',
      values: [now],
    });
    return rows[0]?.at ? Number(rows[0].at) : null;
  }

  private due(publication: ScheduledPublication, channel: ScheduledChannel): Instant {
    if (publication.state === 'publishing') return 0;
    const spaced = isSpaced(publication, channel) ? channel.last_backlog_at + this.minuteMs : 0;
    return Math.max(publication.retry_at, channel.paused_until, channel.attention_until, spaced);
  }
}
