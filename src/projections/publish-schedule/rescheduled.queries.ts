import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress, READER_TIMEOUT_MS } from '../engine/progress.js';
import { computeHoldEnd, type HeldPublication, type HoldingChannel } from './hold.js';
import { SCHEDULE } from './publish-schedule.tables.js';
import { selectQueue } from './queue.sql.js';

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
