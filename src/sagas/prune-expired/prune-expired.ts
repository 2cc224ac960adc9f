import type { Pool } from 'pg';
import type { Log } from '../../kernel/log.js';
import type { Leases } from '../../postgres/leases.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import { BODIES_EXPIRED_BEFORE, DELIVERIES } from '../../projections/webhook-deliveries/webhook-deliveries.tables.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { runUnderLease } from '../engine/run-under-lease.js';

/** Dependencies of {@link PruneExpired}. */
export interface PruneExpiredDependencies {
  readonly pool: Pool;
  readonly leases: Leases;
  readonly progress: Pick<ProjectionProgress, 'waitForOwnVersions'>;
  readonly log: Log;
  /** Time for which the read model keeps the bodies of deliveries that have ended, ms. */
  readonly deliveryBodyMs: number;
  /** Time for which jobs that have ended are kept, ms. */
  readonly jobMs: number;
}

const LEASE = 'prune-expired';
const SWEEP_MS = 10 * 60_000;
/** Read models whose tables it uses, and the time in ms between two looks whether they are there. */
const READ_MODELS = ['webhook-deliveries', 'discovery'];
const LOOK_MS = 1_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** Most rows that one statement looks at, and the pause after it in ms: other statements never wait long. */
const BATCH_SIZE = 200;
const PAUSE_MS = 100;
/** Time in ms for which a deleted endpoint's limits stay: a request that had begun still finds them. */
const LIMIT_MS = 24 * 3_600_000;

/**
 * Deletes what its retention has passed, in one process at a time and in small steps: bodies of deliveries in the read model (the
 * history keeps them), jobs, limits of deleted endpoints, and budgets that no longer count. Each step is a transaction of its
 * own, so that one that is cut off is continued by the next sweep (ADR-218).
 */
export class PruneExpired {
  constructor(private readonly deps: PruneExpiredDependencies) {}

  /** Runs until the signal is aborted, and survives outages. */
  run(signal: AbortSignal): Promise<void> {
    const work = async (held: AbortSignal): Promise<void> => {
      await this.waitForViews(held);
      while (!held.aborted) {
        await this.sweep(held);
        await sleepUnlessAborted(SWEEP_MS, held);
      }
    };
    const { leases, log } = this.deps;
    const logFailure = (error: string): void => log.warn({ error }, 'failed to delete expired rows; retrying');
    return runUnderLease(leases, { lease: LEASE, retry: RETRY, logFailure, work }, signal);
  }

  /** Waits until the views of this program exist: a new deployment, or a newer program, builds them first. */
  private async waitForViews(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.deps.progress.waitForOwnVersions(READ_MODELS, LOOK_MS)));
  }

  /** Deletes all that has expired. */
  async sweep(signal: AbortSignal): Promise<void> {
    await this.pruneBodies(signal);
    for (const step of [this.pruneJobs, this.pruneLimits, this.pruneBudgets])
      while (!signal.aborted && (await step()) === BATCH_SIZE) await sleepUnlessAborted(PAUSE_MS, signal);
  }

  /**
   * Walks over the bodies in the order of their ids, which begin with a time. The limit is recorded first: a verification leaves
   * out what may be gone.
   */
  private async pruneBodies(signal: AbortSignal): Promise<void> {
    const before = Date.now() - this.deps.deliveryBodyMs;
    await this.deps.pool.query(
      `insert into ops_setting as s (name, value) values ('${BODIES_EXPIRED_BEFORE}', $1)
       on conflict (name) do update set value = greatest(s.value::bigint, excluded.value::bigint)::text`,
      [String(before)],
    );
    const last = `dlv_${before.toString(16).padStart(12, '0')}`;
    for (let after: string | null = ''; after !== null && !signal.aborted;) {
      const { rows }: { rows: { last: string | null }[] } = await this.deps.pool.query(
        `with page as (
           select delivery_id, d.state <> 'pending' and d.created_at < $3 as is_over
           from ${DELIVERIES}.delivery_body b join ${DELIVERIES}.delivery d using (delivery_id)
           where delivery_id > $1 and delivery_id < $2 order by delivery_id limit ${BATCH_SIZE}),
         deleted as (
           delete from ${DELIVERIES}.delivery_body b using page p where b.delivery_id = p.delivery_id and p.is_over)
         select max(delivery_id) as last from page`,
        [after, last, before],
      );
      after = rows[0]!.last;
      if (after !== null) await sleepUnlessAborted(PAUSE_MS, signal);
    }
  }

  private readonly pruneJobs = (): Promise<number> =>
    this.delete(
      `delete from ops_job where id in (
         select id from ops_job where state <> 'running' and ended_at < now() - $1 * interval '1 ms' limit ${BATCH_SIZE})`,
      [this.deps.jobMs],
    );

  /** Only rows that no process has used for a day, and whose endpoint the read model does not have. */
  private readonly pruneLimits = (): Promise<number> =>
    this.delete(
      `delete from ops_limit where endpoint_id in (
         select l.endpoint_id from ops_limit l left join discovery.endpoint e using (endpoint_id)
         where e.endpoint_id is null
           and greatest(l.last_at, l.hour, l.keys_since, l.violations[cardinality(l.violations)])
             < now() - $1 * interval '1 ms' limit ${BATCH_SIZE})`,
      [LIMIT_MS],
    );

  /** A row without a use of today and of the last minutes says nothing: the next use creates it again. */
  private readonly pruneBudgets = (): Promise<number> =>
    this.delete(
      `delete from ops_budget where (payer_id, budget) in (
         select payer_id, budget from ops_budget where coalesce(day, '-infinity') < (now() at time zone 'UTC')::date - 1
           and coalesce(minute_times[cardinality(minute_times)], '-infinity') < now() - interval '1 day'
         limit ${BATCH_SIZE} for update skip locked)`,
      [],
    );

  private async delete(text: string, values: readonly unknown[]): Promise<number> {
    return (await this.deps.pool.query(text, [...values])).rowCount ?? 0;
  }
}
