import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import { POOL } from '../../postgres/tokens.js';
import { PLANNED_POSTS } from '../planned-posts/planned-posts.tables.js';
import { SCHEDULE } from './publish-schedule.tables.js';

/** The latest recovery, and what it holds (D-80). */
export interface HeldCounts {
  /** Null if nothing was ever lost. */
  readonly facts: RecoveryStarted['data'] | null;
  /** Planned posts. */
  readonly planned: number;
  /** Publications. */
  readonly inDoubt: number;
  /** True until everything that waited is marked. */
  readonly isOpen: boolean;
}

/** Counts what a recovery holds. */
@Injectable()
export class CountHeld {
  constructor(@Inject(POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /** @param ownerId null for all owners */
  async execute(ownerId: string | null): Promise<HeldCounts> {
    const isOwners = '($1::text is null or owner_id = $1)';
    const { rows } = await this.pool.query<HeldCounts>({
      name: 'count what a recovery holds',
      text: `select
          (select count(*)::int from ${PLANNED_POSTS}.planned_post where is_held and ${isOwners}) as planned,
          (select count(*)::int from ${SCHEDULE}.publication where is_restored and ${isOwners}) as "inDoubt",
          r.facts, r.is_open as "isOpen"
        from ops_recovery r`,
      values: [ownerId],
    });
    return rows[0]!;
  }

  /** Returns whether a recovery holds anything of any owner. */
  async holdsAnything(): Promise<boolean> {
    const { rows } = await this.pool.query<{ holds: boolean }>(
      `select (select is_open from ops_recovery)
         or exists (select from ${PLANNED_POSTS}.planned_post where is_held)
         or exists (select from ${SCHEDULE}.publication where is_restored) as holds`,
    );
    return rows[0]!.holds;
  }
}
