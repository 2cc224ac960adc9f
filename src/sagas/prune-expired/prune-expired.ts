import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { ArchiveHistory } from '../../commands/archive-history.js';
import { EraseContent } from '../../commands/erase-content.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { BODIES_EXPIRED_BEFORE, DELIVERIES } from '../../projections/webhook-deliveries/webhook-deliveries.tables.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { Sampler } from '../../statistics/sampler.js';
import { runUnderLease } from '../engine/run-under-lease.js';

const LEASE = 'prune-expired';
const SWEEP_MS = 10 * 60_000;
/** Read models whose tables the sweep uses, and how often it checks whether they exist, in ms. */
const READ_MODELS = ['webhook-deliveries', 'discovery'];
const LOOK_MS = 1_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** Maximum number of rows per statement, and the pause after it, in ms, so that other statements never wait long. */
const BATCH_SIZE = 200;
const PAUSE_MS = 100;
/** How long a deleted endpoint's limits are kept, in ms, because a request in progress may still need them. */
const LIMIT_MS = 24 * 3_600_000;

/**
 * Deletes data past its retention, in one process at a time and in small transactions: delivery bodies in the read
 * model (the event store keeps them), jobs, limits of deleted endpoints, drafts of deleted owners, last uses of revoked
 * keys, the console's expired sign-ins, budgets that have not been used recently (ADR-218), and samples of numbers except
 * the last. Starts the jobs that erase content past its retention (D-100) and archive old history (D-101).
 */
@Injectable()
export class PruneExpired {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly leases: Leases,
    @Inject(ProjectionProgress) private readonly progress: Pick<ProjectionProgress, 'waitForOwnVersions'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'deliveryBodyMs' | 'jobMs' | 'contentMonths' | 'archiveMonths'>,
    @Inject(Sampler) private readonly sampler: Pick<Sampler, 'pruneExpired'>,
    @Inject(EraseContent) private readonly erasure: Pick<EraseContent, 'startRetention'>,
    @Inject(ArchiveHistory) private readonly archive: Pick<ArchiveHistory, 'startByAge'>,
  ) {}

  /** Runs until the signal is aborted; survives outages. */
  run(signal: AbortSignal): Promise<void> {
    const work = async (held: AbortSignal): Promise<void> => {
      // A new deployment has to build its versions of the views first.
      while (!held.aborted && !(await this.progress.waitForOwnVersions(READ_MODELS, LOOK_MS)));
      while (!held.aborted) {
        await this.sweep(held);
        await sleepUnlessAborted(SWEEP_MS, held);
      }
    };
    const failure = 'failed to delete expired rows; retrying';
    return runUnderLease(this.leases, this.log, { lease: LEASE, retry: RETRY, failure, work }, signal);
  }

  /** Deletes everything that has expired. */
  async sweep(signal: AbortSignal): Promise<void> {
    await this.pruneBodies(signal);
    if (this.settings.contentMonths > 0) await this.erasure.startRetention(this.settings.contentMonths);
    const steps = [this.pruneJobs, this.pruneLimits, this.pruneBudgets, this.pruneDrafts];
    for (const step of [...steps, this.pruneKeyUses, this.pruneSessions])
      while (!signal.aborted && (await step()) === BATCH_SIZE) await sleepUnlessAborted(PAUSE_MS, signal);
    while (!signal.aborted && (await this.sampler.pruneExpired())) await sleepUnlessAborted(PAUSE_MS, signal);
    // Last, because the store of files may not answer.
    if (this.settings.archiveMonths > 0) await this.archive.startByAge(this.settings.archiveMonths);
  }

  /** Deletes expired bodies in id order. Records the cut-off time first, so that a verification skips them. */
  private async pruneBodies(signal: AbortSignal): Promise<void> {
    const before = Date.now() - this.settings.deliveryBodyMs;
    await this.pool.query(
      `insert into ops_setting as s (name, value) values ('${BODIES_EXPIRED_BEFORE}', $1)
       on conflict (name) do update set value = greatest(s.value::bigint, excluded.value::bigint)::text`,
      [String(before)],
    );
    const last = `dlv_${before.toString(16).padStart(12, '0')}`;
    for (let after: string | null = ''; after !== null && !signal.aborted;) {
      const { rows }: { rows: { last: string | null }[] } = await this.pool.query(
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
      [this.settings.jobMs],
    );

  /** Deletes limits that no process has used for a day and whose endpoint is no longer in the read model. */
  private readonly pruneLimits = (): Promise<number> =>
    this.delete(
      `delete from ops_limit where endpoint_id in (
         select l.endpoint_id from ops_limit l left join discovery.endpoint e using (endpoint_id)
         where e.endpoint_id is null
           and greatest(l.last_at, l.hour, l.keys_since, l.violations[cardinality(l.violations)])
             < now() - $1 * interval '1 ms' limit ${BATCH_SIZE})`,
      [LIMIT_MS],
    );

  /** Deletes budgets that have not been used recently: they are full anyway, and the next use creates them again. */
  private readonly pruneBudgets = (): Promise<number> =>
    this.delete(
      `delete from ops_budget where (payer_id, budget) in (
         select payer_id, budget from ops_budget where coalesce(day, '-infinity') < (now() at time zone 'UTC')::date - 1
           and coalesce(minute_times[cardinality(minute_times)], '-infinity') < now() - interval '1 day'
         limit ${BATCH_SIZE} for update skip locked)`,
      [],
    );

  /** Deletes drafts that were written while their owner was being deleted. */
  private readonly pruneDrafts = (): Promise<number> =>
    this.delete(
      `delete from ops_draft where draft_id in (
         select draft_id from ops_draft d left join discovery.owner o using (owner_id)
         where o.owner_id is null and d.created_at < now() - interval '1 hour' limit ${BATCH_SIZE})`,
      [],
    );

  /** Deletes the last uses of keys that were revoked or whose owner was deleted, with the clients' addresses. */
  private readonly pruneKeyUses = (): Promise<number> =>
    this.delete(
      `delete from ops_key_use where key_id in (
         select key_id from ops_key_use u left join discovery.key k using (key_id)
         where k.key_id is null limit ${BATCH_SIZE})`,
      [],
    );

  private readonly pruneSessions = (): Promise<number> =>
    this.delete(
      `delete from ops_console_session where session_id in (
         select session_id from ops_console_session where expires_at < now() limit ${BATCH_SIZE})`,
      [],
    );

  private async delete(text: string, values: readonly unknown[]): Promise<number> {
    return (await this.pool.query(text, [...values])).rowCount ?? 0;
  }
}
