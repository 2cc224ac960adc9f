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

/** The channels that a claim has acquired, and the moment for which the next one is worthwhile. */
export interface Claim {
  readonly channels: readonly ClaimedChannel[];
  /** Earliest later moment at which a channel of the worker's own shards is due; null: none. */
  readonly nextDue: Instant | null;
  /** Number of all channels, up to the wanted one; only of a sweep. */
  readonly channelCount: number | null;
}

/** The channels that a claim may acquire. */
export interface ClaimScope {
  /** The worker's own shards of channels; null: all. */
  readonly shards: readonly string[] | null;
  /** True if channels of other workers' shards are claimed too, and up to so many channels are counted. */
  readonly isSweep: boolean;
  readonly mostChannels: number;
}

const ALL: ClaimScope = { shards: null, isSweep: true, mostChannels: 1 };

/** Leases on channels: one worker at a time may publish on a channel. Due channels are claimed in batches. */
export class ChannelClaims {
  constructor(
    private readonly pool: Pool,
    private readonly leases: Leases,
  ) {}

  /**
   * Claims due channels that no other worker holds, the longest due first.
   * @param capacity maximum number of channels by network, for all networks; 0: none is claimed
   * @param except channels not to claim. Any other channel under the worker's id is one that it failed to release: the
   *   worker claims it again.
   */
  async claimDueChannels(
    workerId: string,
    now: Instant,
    capacity: readonly { readonly platform: string; readonly size: number }[],
    except: readonly string[],
    { shards, isSweep, mostChannels }: ClaimScope = ALL,
  ): Promise<Claim> {
    const { rows } = await this.pool.query<
      ClaimedChannel & { term: bigint | null; nextDue: bigint | null; channelCount: number | null }
    >({
      name: 'claim due channels',
      text: `
        with due as (
          select c.channel_id, capacity.platform, '${PREFIX}' || c.channel_id as name
          from unnest($2::text[], $5::int[]) capacity(platform, size) cross join lateral (
            select c.channel_id from ${SCHEDULE}.channel c
            where c.platform = capacity.platform and c.next_due <= $1 and c.channel_id <> all($4)
              and ($6::text[] is null or $7 or right(c.channel_id, 2) = any($6))
              and not exists (select 1 from ops_lease l where l.name = '${PREFIX}' || c.channel_id and l.worker_id <> $3)
            order by c.next_due limit capacity.size) c),
        claimed as (
          insert into ops_lease (name, worker_id)
          select due.name, w.worker_id from due join ops_worker w on w.worker_id = $3 order by due.name
          ${ON_LEASE_CONFLICT}),
        next as (
          select min(due.at) as at from unnest($2::text[]) network(platform) cross join lateral (
            select c.next_due as at from ${SCHEDULE}.channel c
            where c.platform = network.platform and c.next_due > $1
              and ($6::text[] is null or right(c.channel_id, 2) = any($6))
            order by c.next_due limit 1) due)
        select due.channel_id as "channelId", due.platform, claimed.term, next.at as "nextDue",
          case when $7 then (select count(*)::int from (select from ${SCHEDULE}.channel limit $8) c) end as "channelCount"
        from next left join (claimed join due on due.name = claimed.name) on true`,
      values: [
        now,
        capacity.map(({ platform }) => platform),
        workerId,
        except,
        capacity.map(({ size }) => size),
        shards,
        isSweep,
        mostChannels,
      ],
    });
    const { nextDue, channelCount } = rows[0]!;
    const channels = rows.flatMap(({ channelId, platform, term }) =>
      term === null ? [] : [{ channelId, platform, term }],
    );
    return { channels, nextDue: nextDue === null ? null : Number(nextDue), channelCount };
  }

  async releaseChannel({ channelId, term }: ClaimedChannel): Promise<void> {
    await this.leases.release({ name: PREFIX + channelId, term });
  }
}
