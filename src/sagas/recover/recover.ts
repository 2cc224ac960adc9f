import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { readRecoveries, RECOVERY_LOCK, setRecoveryRow } from '../../commands/recovery.js';
import { isLookingUp, recovery } from '../../domain/recovery/recovery.decider.js';
import { RECOVERY_ID } from '../../domain/recovery/recovery.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { withTransaction } from '../../postgres/pool.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { causedBy } from '../engine/caused-by.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { LookUpRestored } from './look-up-restored.js';
import { MarkRestored } from './mark-restored.js';

const NAME = 'recover';
const RETRY = { firstMs: 100, longestMs: 5_000 };
const VIEWS = ['planned-posts', 'publish-schedule'];
const LOOK_UP_VIEWS = ['publish-schedule', 'posts', 'discovery'];
const LOOK_MS = 1_000;

/**
 * Finishes a recovery that a start has begun (D-80): nothing is published until everything that waited is in doubt or
 * held. Then looks up what is in doubt. Runs in one process at a time. The log decides, not the row that other
 * processes read.
 */
@Injectable()
export class Recover {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly progress: ProjectionProgress,
    private readonly leases: Leases,
    private readonly marking: MarkRestored,
    private readonly lookUps: LookUpRestored,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted. Survives outages. */
  run(signal: AbortSignal): Promise<void> {
    const failure = 'failed to hold what waited before a restore; retrying';
    const work = async (held: AbortSignal): Promise<void> => {
      let mayBeInDoubt = true;
      while (!held.aborted) {
        if (await this.isOpen()) {
          await this.finish(held);
          mayBeInDoubt = true;
        } else if (mayBeInDoubt) {
          await this.lookUp(held);
          mayBeInDoubt = false;
        } else await sleepUnlessAborted(LOOK_MS, held);
      }
    };
    return runUnderLease(this.leases, this.log, { lease: `saga/${NAME}`, retry: RETRY, failure, work }, signal);
  }

  private async isOpen(): Promise<boolean> {
    const { rows } = await this.pool.query<{ is_open: boolean }>('select is_open from ops_recovery');
    return rows[0]!.is_open;
  }

  private async finish(signal: AbortSignal): Promise<void> {
    const { aggregates, progress, log } = this;
    const { latest: started, isOpen } = await readRecoveries(aggregates);
    if (started && isOpen) {
      while (!signal.aborted && !(await progress.waitForOwnVersions(VIEWS, LOOK_MS)));
      while (!signal.aborted && !(await progress.waitFor(VIEWS, started.position, LOOK_MS)));
      signal.throwIfAborted();
      const inDoubt = await this.marking.markAll(started, signal);
      const { recoveryId } = started.data;
      const at = Date.now();
      const context = { ...causedBy(started, NAME), commandId: `${NAME}/${recoveryId}`, at };
      const command = { type: 'MarkRecovered', recoveryId, at, inDoubt } as const;
      await aggregates.execute(recovery, RECOVERY_ID, command, context);
      log.warn({ in_doubt: inDoubt }, 'what waited before the restore is held; new posts are published again');
    }
    await this.followLog();
  }

  /** Looks up what the latest recovery put in doubt. Ends early if another recovery begins. */
  private async lookUp(signal: AbortSignal): Promise<void> {
    const { aggregates, progress, log } = this;
    const { latest: started, state } = await readRecoveries(aggregates);
    if (!started || !isLookingUp(state)) return;
    while (!signal.aborted && !(await progress.waitForOwnVersions(LOOK_UP_VIEWS, LOOK_MS)));
    await progress.requireUpTo('publish-schedule', await aggregates.store.readHead());
    const superseded = new AbortController();
    const timer = setInterval(() => {
      void this.isOpen().then(
        (isOpen) => isOpen && superseded.abort(),
        () => undefined,
      );
    }, LOOK_MS);
    try {
      const found = await this.lookUps.lookUpAll(started, AbortSignal.any([signal, superseded.signal]));
      const { recoveryId } = started.data;
      const at = Date.now();
      const context = { ...causedBy(started, NAME), commandId: `${NAME}/${recoveryId}/look-up`, at };
      await aggregates.execute(recovery, RECOVERY_ID, { type: 'MarkLookedUp', recoveryId, at, found }, context);
      if (found > 0) log.warn({ found }, 'posts in doubt after the restore were found on their networks');
    } catch (error) {
      if (!superseded.signal.aborted) throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** Lets other work continue once the log says so, unless a process is about to begin another recovery. */
  private async followLog(): Promise<void> {
    await withTransaction(this.pool, async (tx) => {
      const text = 'select pg_try_advisory_xact_lock($1) as locked';
      const { rows } = await tx.query<{ locked: boolean }>(text, [RECOVERY_LOCK]);
      if (rows[0]!.locked) await setRecoveryRow(tx, await readRecoveries(this.aggregates));
    });
  }
}
