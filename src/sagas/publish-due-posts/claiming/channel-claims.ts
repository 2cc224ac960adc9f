import type { Pool } from 'pg';
import type { Instant } from '../../../kernel/instant.js';
import { type Leases, TAKE } from '../../../postgres/leases.js';

const PREFIX = 'channel/';

/** A channel that a worker has taken. */
export interface ClaimedChannel {
  readonly channelId: string;
  readonly platform: string;
  /** Of the lease: see {@link Leases}. */
  readonly term: bigint;
}

/** Right to publish on a channel: one worker at a time, taken in bulk from those that are due. */
export class ChannelClaims {
  constructor(
    private readonly pool: Pool,
    private readonly leases: Leases,
  ) {}

  /**
   * Takes due channels that nobody else holds, for a worker, the longest due first; not those in `except`.
   * @param rooms how many at most, by network
   * @param except what the worker has in its hands: another channel under its name is one that it could not give back
   */
  async claimDue(
    workerId: string,
    now: Instant,
    rooms: readonly { readonly platform: string; readonly size: number }[],
    except: readonly string[],
  ): Promise<ClaimedChannel[]> {
    if (rooms.length === 0) return [];
    const { rows } = await this.pool.query<ClaimedChannel>({
      name: 'claim due channels',
      text: `
        with due as (
          select c.channel_id, room.platform, '${PREFIX}' || c.channel_id as name
          from unnest($2::text[], $5::int[]) room(platform, size) cross join lateral (
            select c.channel_id from publish_schedule.channel c
            where c.platform = room.platform and c.next_due <= $1 and c.channel_id <> all($4)
              and not exists (select 1 from ops_lease l where l.name = '${PREFIX}' || c.channel_id and l.worker_id <> $3)
            order by c.next_due limit room.size) c),
        taken as (
          insert into ops_lease (name, worker_id)
          select due.name, w.worker_id from due join ops_worker w on w.worker_id = $3 order by due.name
          ${TAKE})
        select due.channel_id as "channelId", due.platform, taken.term from taken join due on due.name = taken.name`,
      values: [now, rooms.map(({ platform }) => platform), workerId, except, rooms.map(({ size }) => size)],
    });
    return rows;
  }

  async release({ channelId, term }: ClaimedChannel): Promise<void> {
    await this.leases.release({ name: PREFIX + channelId, term });
  }
}
