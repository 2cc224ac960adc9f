import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { computeHoldEnd, type HeldPublication, type HoldingChannel } from './hold.js';
import { SCHEDULE } from './publish-schedule.tables.js';

/** Projects or channels whose pause is about to be extended to `until`, unless it ends later; null: it is lifted. */
export interface PauseChange {
  readonly ids: readonly string[];
  readonly until: Instant | null;
}

/**
 * Counts the waiting publications whose earliest time a pause, or its end, changes (D-21): the moment before which a
 * pause, a retry or the wait for a credential delays them. A project's pause delays the posts accepted during it, a
 * channel's delays all. The spacing of a backlog does not count.
 */
export class CountRescheduled extends Query<number> {
  constructor(
    readonly at: Instant,
    readonly projects: PauseChange,
    readonly channels: PauseChange,
  ) {
    super();
  }
}

/** Time limit for the schedule to catch up with the log, ms; then the schedule is counted as it is. */
const CATCH_UP_TIMEOUT_MS = 2_000;

/** Waiting publications that the same holds delay. */
type PublicationGroup = HeldPublication &
  HoldingChannel & { readonly project_id: string; readonly channel_id: string; readonly publications: number };

@QueryHandler(CountRescheduled)
export class CountRescheduledHandler implements IQueryHandler<CountRescheduled> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ at, projects, channels }: CountRescheduled): Promise<number> {
    await this.progress.waitFor(['publish-schedule'], await this.store.readHead(), CATCH_UP_TIMEOUT_MS);
    const { rows } = await this.pool.query<{ group: PublicationGroup }>({
      name: 'group publications by holds',
      text: `
        select to_jsonb(g) as group from (
          select p.project_id, p.channel_id, p.not_before, p.retry_at, c.paused_until, c.attention_until,
            count(*) as publications
          from ${SCHEDULE}.publication p join ${SCHEDULE}.channel c on c.channel_id = p.channel_id
          where p.waits and p.state = 'queued'
            and (p.channel_id = any($3) or p.project_id = any($2) and p.not_before > 0 and p.not_before > $1)
          group by 1, 2, 3, 4, 5, 6) g`,
      values: [at, projects.ids, channels.ids],
    });
    let count = 0;
    for (const { group } of rows) {
      const after = { ...group };
      if (group.not_before > at && projects.ids.includes(group.project_id))
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
