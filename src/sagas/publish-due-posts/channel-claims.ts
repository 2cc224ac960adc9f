import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import type { Leases } from '../../postgres/leases.js';

const PREFIX = 'channel/';

/** Right to publish on a channel: one worker at a time, taken in bulk from those that are due. */
export class ChannelClaims {
  constructor(
    private readonly pool: Pool,
    private readonly leases: Leases,
  ) {}

  /** Takes up to `limit` due channels that nobody holds, for a worker; not those in `except`. */
  async claimDue(workerId: string, now: Instant, limit: number, except: readonly string[]): Promise<string[]> {
    if (limit < 1) return [];
    const { rows } = await this.pool.query<{ channel_id: string }>({
      name: 'claim due channels',
      text: `
        with due as (
          select '${PREFIX}' || c.channel_id as name from publish_schedule.channel c
          where c.next_due <= $1 and c.channel_id <> all($4)
            and not exists (select 1 from ops_lease l where l.name = '${PREFIX}' || c.channel_id)
          order by c.next_due limit $2)
        insert into ops_lease (name, worker_id)
        select due.name, w.worker_id from due join ops_worker w on w.worker_id = $3 order by due.name
        on conflict do nothing
        returning substr(name, ${PREFIX.length + 1}) as channel_id`,
      values: [now, limit, workerId, except],
    });
    return rows.map(({ channel_id }) => channel_id);
  }

  async release(channelId: string): Promise<void> {
    await this.leases.release(PREFIX + channelId);
  }
}
