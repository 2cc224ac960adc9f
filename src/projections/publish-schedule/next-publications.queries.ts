import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { ACTIVITY } from '../activity/activity.tables.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { SCHEDULE, selectQueue } from './publish-schedule.tables.js';

/** The next publications, and what each network is waiting for. */
export interface NextPublications {
  /** Ids, in publishing order. */
  readonly publications: readonly string[];
  readonly networks: readonly {
    readonly platform: string;
    /** Earliest known end of a wait; null if none is known. */
    readonly next_at: Instant | null;
    /** True if a channel with a queued publication is held: see {@link NextPublicationQueries.read}. */
    readonly is_held: boolean;
  }[];
}

/** Finds the next publications. */
@Injectable()
export class NextPublicationQueries {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Finds the next publications. For one owner, a network is held if a publication is waiting for a person or for a
   * pause to end. For all owners, it is held only if a channel needs attention, because some owner always has a pause.
   * @param ownerId null for all owners
   * @param limit maximum number of publications
   */
  async read(
    ownerId: string | null,
    platforms: readonly string[],
    now: Instant,
    limit: number,
  ): Promise<NextPublications> {
    const { rows } = await this.pool.query<NextPublications>({
      name: `next publications ${ownerId === null ? 'of all' : 'of owner'}`,
      text: ownerId === null ? NEXT_OF_ALL : NEXT_OF_OWNER,
      values: [now, limit, ownerId ?? platforms],
    });
    return rows[0]!;
  }
}

/** Later than any real time, so that the queues of active pauses are included. */
const END_OF_TIME = '9223372036854775807';

/** How many publications to examine per channel; enough to fill the list. */
const LONGEST_QUEUE = 11;

/** SQL: whether a channel `s` of the schedule has a queued publication that no project's pause delays. */
const HAS_QUEUED = `exists (
  select from ${SCHEDULE}.publication p
  where p.channel_id = s.channel_id and p.sequence >= s.first_waiting and p.waits and p.project_pause_id is null
    and p.state = 'queued')`;

/** SQL: whether a channel `s` of the schedule has a publication that a project's pause delays at `$1`. */
const HAS_DELAYED = `exists (
  select from ${SCHEDULE}.paused_queue q join ${SCHEDULE}.project_pause o on o.pause_id = q.pause_id
  where q.channel_id = s.channel_id and o.ends_at > $1)`;

/** SQL: the next publications of the channels that are due first. @param channels SQL for channels as `s` */
const listNext = (channels: string): string => `(
  select coalesce(json_agg(l.publication_id), '[]') from (
    select q.publication_id from (
      select s.channel_id, s.first_waiting, s.next_due from ${channels} order by s.next_due limit $2) k
    cross join lateral (
      select publication_id, accepted_at, not_before, row_number() over (order by sequence) as place
      from (${selectQueue('k.channel_id', 'k.first_waiting', END_OF_TIME, LONGEST_QUEUE, SCHEDULE)}) w
      where state = 'queued') q
    order by greatest(k.next_due, q.not_before, $1), q.place, q.accepted_at limit $2) l) as publications`;

const listNetworks = (query: string): string => `(select coalesce(json_agg(n), '[]') from (${query}) n) as networks`;

const NEXT_OF_OWNER = `select
  ${listNext(`${DISCOVERY}.channel c join ${SCHEDULE}.channel s on s.channel_id = c.channel_id
    and c.owner_id = $3 and s.next_due is not null`)},
  ${listNetworks(`
    select c.platform, min(s.next_due) filter (where s.next_due > $1) as next_at,
      bool_or(((not s.enabled or s.attention_until > $1 or s.paused_until > $1) and ${HAS_QUEUED}) or ${HAS_DELAYED})
        as is_held
    from ${DISCOVERY}.channel c join ${SCHEDULE}.channel s on s.channel_id = c.channel_id
    where c.owner_id = $3 group by c.platform`)}`;

const NEXT_OF_ALL = `select
  ${listNext(`unnest($3::text[]) n(platform) cross join lateral (
    select * from ${SCHEDULE}.channel where platform = n.platform and next_due is not null
    order by next_due limit $2) s`)},
  ${listNetworks(`
    select n.platform,
      (select next_due from ${SCHEDULE}.channel
       where platform = n.platform and next_due > $1 order by next_due limit 1) as next_at,
      exists (
        select from ${ACTIVITY}.alert a join ${SCHEDULE}.channel s on s.channel_id = a.resource_id
        where a.kind = 'channel' and a.ends_at > $1 and s.platform = n.platform and s.enabled and ${HAS_QUEUED})
        as is_held
    from unnest($3::text[]) n(platform)`)}`;
