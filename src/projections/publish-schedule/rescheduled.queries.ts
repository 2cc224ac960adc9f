import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';

/** Projects or channels whose pause is about to end at a moment, unless a longer one lasts; null: it is lifted. */
export interface PauseMove {
  readonly ids: readonly string[];
  readonly until: Instant | null;
}

/**
 * How many waiting publications a pause, or its end, gives another earliest time (D-21): the moment before which no
 * pause, retry or wait for a credential lets it go. A project's pause holds what was accepted in it, a channel's holds
 * everything; the minute between the posts of a backlog is no gate and is not counted.
 */
export class CountRescheduled extends Query<number> {
  constructor(
    readonly at: Instant,
    readonly projects: PauseMove,
    readonly channels: PauseMove,
  ) {
    super();
  }
}

/** How long to wait for a schedule that knows of everything up to now, ms; then what it knows is counted. */
const PATIENCE_MS = 2_000;

@QueryHandler(CountRescheduled)
export class CountRescheduledHandler implements IQueryHandler<CountRescheduled> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ at, projects, channels }: CountRescheduled): Promise<number> {
    await this.progress.waitFor(['publish-schedule'], await this.store.head(), PATIENCE_MS);
    const { rows } = await this.pool.query<{ count: number }>({
      name: 'count rescheduled',
      text: `
        select count(*)::int as count
        from publish_schedule.publication p join publish_schedule.channel c on c.channel_id = p.channel_id
        cross join lateral (select greatest(p.retry_at, c.attention_until, $1) as at) other
        cross join lateral (select greatest(p.not_before, c.paused_until, other.at) as at) before
        cross join lateral (select greatest(other.at,
          case when p.not_before <= $1 or p.project_id <> all($2) then p.not_before
               when $3::bigint is null then 0 else greatest(p.not_before, $3) end,
          case when p.channel_id <> all($4) then c.paused_until
               when $5::bigint is null then 0 else greatest(c.paused_until, $5) end) as at) after
        where p.waits and p.state = 'queued' and after.at <> before.at
          and (p.channel_id = any($4) or p.project_id = any($2) and p.not_before > 0 and p.not_before > $1)`,
      values: [at, projects.ids, projects.until, channels.ids, channels.until],
    });
    return rows[0]!.count;
  }
}
