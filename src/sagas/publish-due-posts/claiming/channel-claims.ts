import type { Pool } from 'pg';
import type { Instant } from '../../../kernel/instant.js';
import { type Leases, ON_LEASE_CONFLICT } from '../../../postgres/leases.js';
import { SCHEDULE } from '../../../projections/publish-schedule/publish-schedule.tables.js';

const PREFIX = 'channel/';

/** A channel whose lease a worker has acquired. */
export interface ClaimedChannel {
  readonly channelId: string;
  readonly platform: string;
  /** Term of the lease: see {@link Leases}. */
  readonly term: bigint;
}

/** Leases on channels: one worker at a time may publish on a channel. Due channels are claimed in batches. */
export class ChannelClaims {
  constructor(
    private readonly pool: Pool,
    private readonly leases: Leases,
  ) {}

  /**
   * Claims due channels that no other worker holds, the longest due first.
   * @param capacity maximum number of channels by network
   * @param except channels not to claim. Any other channel under the worker's id is one that it failed to release: the
   *   worker claims it again.
   */
  async claimDueChannels(
    workerId: string,
    now: Instant,
    capacity: readonly { readonly platform: string; readonly size: number }[],
    except: readonly string[],
  ): Promise<ClaimedChannel[]> {
    if (capacity.length === 0) return [];
    const { rows } = await this.pool.query<ClaimedChannel>({
      name: 'claim due channels',
      text: `
        with due as (
          select c.channel_id, capacity.platform, '${PREFIX}' || c.channel_id as name
          from unnest($2::text[], $5::int[]) capacity(platform, size) cross join lateral (
            select c.channel_id from ${SCHEDULE}.channel c
            where c.platform = capacity.platform and c.next_due <= $1 and c.channel_id <> all($4)
              and not exists (select 1 from ops_lease l where l.name = '${PREFIX}' || c.channel_id and l.worker_id <> $3)
            order by c.next_due limit capacity.size) c),
        claimed as (
          insert into ops_lease (name, worker_id)
          select due.name, w.worker_id from due join ops_worker w on w.worker_id = $3 order by due.name
          ${ON_LEASE_CONFLICT})
        select due.channel_id as "channelId", due.platform, claimed.term from claimed join due on due.name = claimed.name`,
      values: [now, capacity.map(({ platform }) => platform), workerId, except, capacity.map(({ size }) => size)],
    });
    return rows;
  }

  async releaseChannel({ channelId, term }: ClaimedChannel): Promise<void> {
    await this.leases.release({ name: PREFIX + channelId, term });
  }
}
