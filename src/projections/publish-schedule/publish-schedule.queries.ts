import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { Batcher } from '../../runtime/batcher.js';
import { isSpaced, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';

/** A channel's head, when it may go, and what follows it. */
export interface UpNext {
  readonly head: ScheduledPublication;
  /** Moment from which the head may be published; in the past: now. */
  readonly due: Instant;
  /**
   * What may go behind a head that is due once that is over, in order, with no further look at the schedule, for as long
   * as this picture is fresh. Never a retry, nor what waits for the quota, nor what keeps a distance to the one before it.
   */
  readonly followers: readonly ScheduledPublication[];
}

interface Look {
  readonly channelId: string;
  readonly now: Instant;
}

interface Row {
  readonly channel_id: string;
  readonly channel: ScheduledChannel;
  readonly publications: readonly ScheduledPublication[];
}

/** Of a channel's queue at a look. */
const MAX_UP_NEXT = 8;

/** Reads the publish schedule. Looks of the same moment share a query. */
export class PublishScheduleQueries {
  private readonly looks = new Batcher<Look, UpNext | null>((looks) => this.lookAll(looks), { max: 100, lanes: 2 });

  /** @param minuteMs spacing of a pause's backlog (D-21) */
  constructor(
    private readonly pool: Pool,
    private readonly minuteMs: number,
  ) {}

  /** What goes next on a channel, or null: from the first in order on that no project's pause holds back. */
  upNext(channelId: string, now: Instant): Promise<UpNext | null> {
    return this.looks.call({ channelId, now });
  }

  /** The earliest moment after `now` at which some channel of these networks may go; null: none is waiting. */
  async nextDue(now: Instant, platforms: readonly string[]): Promise<Instant | null> {
    const { rows } = await this.pool.query<{ at: bigint | null }>({
      name: 'schedule next due',
      text: `select min(due.at) as at from unnest($2::text[]) network(platform) cross join lateral (
               select c.next_due as at from publish_schedule.channel c
               where c.platform = network.platform and c.next_due > $1 order by c.next_due limit 1) due`,
      values: [now, platforms],
    });
    return rows[0]?.at ? Number(rows[0].at) : null;
  }

  private async lookAll(looks: readonly Look[]): Promise<(UpNext | null)[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'schedule up next',
      text: `
        select c.channel_id, to_json(c) as channel, q.publications
        from unnest($1::text[], $2::bigint[]) look(channel_id, now)
        join publish_schedule.channel c on c.channel_id = look.channel_id and c.enabled
        cross join lateral (
          select json_agg(p) as publications from (
            select * from publish_schedule.publication p
            where p.channel_id = look.channel_id and p.waits and p.not_before <= look.now
            order by p.sequence limit ${MAX_UP_NEXT}) p) q
        where q.publications is not null`,
      values: [looks.map(({ channelId }) => channelId), looks.map(({ now }) => now)],
    });
    const found = new Map(rows.map((row) => [row.channel_id, row]));
    return looks.map(({ channelId }) => {
      const row = found.get(channelId);
      return row ? this.upNextOf(row) : null;
    });
  }

  private upNextOf({ channel, publications }: Row): UpNext {
    const [head, ...behind] = publications as [ScheduledPublication, ...ScheduledPublication[]];
    const end = behind.findIndex(
      (row) => row.state !== 'queued' || row.attempt > 0 || row.retry_at > 0 || isSpaced(row, channel),
    );
    return { head, due: this.due(head, channel), followers: end < 0 ? behind : behind.slice(0, end) };
  }

  private due(publication: ScheduledPublication, channel: ScheduledChannel): Instant {
    if (publication.state === 'publishing') return 0;
    const spaced = isSpaced(publication, channel) ? channel.last_backlog_at + this.minuteMs : 0;
    return Math.max(publication.retry_at, channel.paused_until, channel.attention_until, spaced);
  }
}
