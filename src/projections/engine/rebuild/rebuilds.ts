import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import type { ProjectionEvent } from '../../../domain/projection/projection.events.js';
import type { CommandContext } from '../../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type Position } from '../../../event-store/port.js';
import { type Job, JobTable } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/ids.js';
import { POOL } from '../../../postgres/tokens.js';
import { Backoff } from '../../../runtime/backoff.js';
import { type Projection, PROJECTIONS } from '../projection.js';
import { VersionsRefused, VersionStore } from '../version-store.js';
import { REBUILD_MESSAGES } from './messages.js';

/** A decision about the versions of a projection, with its event and the context of its command. */
export interface Decision {
  readonly projection: string;
  readonly event: ProjectionEvent;
  readonly context: CommandContext;
}

/** Appends the events for decisions. */
export interface RecordsDecisions {
  /** Repeated calls append nothing. @returns the event's position */
  record(decision: Decision): Promise<Position>;
}

/** Injection token for {@link RecordsDecisions}. */
export const DECISION_RECORDER = Symbol('DecisionRecorder');

/** How long a decision is kept after its event was appended: longer than an Idempotency-Key remains valid. */
const KEPT = "interval '7 days'";

/**
 * Records decisions in the event store once the database has carried them out. The transaction that swaps versions
 * notes the decision. Its event is then appended by the process that made the decision, or by a worker that finds the
 * note (ADR-148).
 */
@Injectable()
export class Decisions {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(DECISION_RECORDER) private readonly recorder: RecordsDecisions,
  ) {}

  /** Notes a decision in the transaction that carries it out. */
  static async note(tx: Pick<PoolClient, 'query'>, { projection, event, context }: Decision): Promise<void> {
    await tx.query(
      'insert into ops_projection_decision (command_id, projection, event, context) values ($1, $2, $3, $4)',
      [context.commandId, projection, JSON.stringify(event), JSON.stringify(context)],
    );
  }

  /** True if a command's decision has been carried out. */
  static async isNoted(db: Pick<Pool, 'query'>, commandId: string): Promise<boolean> {
    const { rowCount } = await db.query('select from ops_projection_decision where command_id = $1', [commandId]);
    return rowCount !== 0;
  }

  /**
   * Appends the events of a projection's pending decisions, in order.
   * @returns the position of the last event; -1n if there was none
   */
  async append(projection: string): Promise<Position> {
    const { rows } = await this.pool.query<Decision & { readonly number: bigint }>(
      `select number, projection, event, context from ops_projection_decision
       where projection = $1 and recorded_at is null order by number`,
      [projection],
    );
    let position = -1n;
    for (const { number, ...decision } of rows) {
      position = await this.recorder.record(decision);
      await this.pool.query('update ops_projection_decision set recorded_at = now() where number = $1', [number]);
    }
    if (rows.length > 0)
      await this.pool.query(`delete from ops_projection_decision where recorded_at < now() - ${KEPT}`);
    return position;
  }
}

export { type VersionRefusal, VersionsRefused } from '../version-store.js';

/** Job kind for projection rebuilds. */
export const REBUILD_PROJECTION = 'rebuild-projection';

/** `manual`: the operator promotes the candidate once it has caught up. */
export type Promotion = (typeof PROMOTIONS)[number];
export const PROMOTIONS = ['auto', 'manual'] as const;

/** Rebuild job parameters. */
export interface RebuildParams {
  readonly projection: string;
  readonly version: number;
  readonly promote: Promotion;
  /** Context of the operator's command, used when the job promotes the candidate. */
  readonly context: CommandContext;
}

/** How long to keep retrying the swap while queries lock the views, or one version is slightly behind, in ms. */
const TRY_FOR_MS = 10_000;
const RETRY = { firstMs: 50, longestMs: 500 };

/**
 * Rebuilds projections. A lane fills a candidate alongside the live version. The candidate's job or the operator then
 * swaps the two in one transaction (ADR-148). Repeating a command has no further effect.
 */
@Injectable()
export class Rebuilds {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(PROJECTIONS) private readonly projections: readonly Projection[],
    private readonly decisions: Decisions,
  ) {}

  /**
   * Creates a candidate and its job.
   * @param jobId must be the same when the command is repeated
   * @throws VersionsRefused @throws JobRuns
   */
  async start(name: string, promote: Promotion, jobId: string, context: CommandContext): Promise<Job> {
    const jobs = new JobTable(this.pool);
    const known = await jobs.find(jobId);
    if (known) return known;
    await this.versionsOf(name).createRebuild(async (tx, version) => {
      const params = { projection: name, version, promote, context: { ...context } };
      await new JobTable(tx).start({ id: jobId, kind: REBUILD_PROJECTION, params, subject: `projection ${name}` });
      return jobId;
    });
    return (await jobs.find(jobId))!;
  }

  /** Makes the candidate live at the operator's request. @throws VersionsRefused */
  async promote(name: string, context: CommandContext): Promise<Position> {
    return this.decide(name, context, async (versions) => {
      await versions.promoteRebuild(null, async (tx, exchange) => {
        const data = { projection: name, ...exchange, jobId: null, reason: null };
        await Decisions.note(tx, { projection: name, event: { type: 'ProjectionPromoted', data }, context });
      });
    });
  }

  /** Makes a job's candidate live and ends the job. @throws VersionsRefused */
  async promoteByJob({ id }: Job, params: RebuildParams, result: object): Promise<void> {
    const { projection, version } = params;
    const context = { ...params.context, commandId: `${id}/promotion`, at: Date.now() };
    await this.versionsOf(projection).promoteRebuild(version, async (tx, exchange) => {
      const data = { projection, ...exchange, jobId: id, reason: null };
      await Decisions.note(tx, { projection, event: { type: 'ProjectionPromoted', data }, context });
      await new JobTable(tx).end(id, 'done', result as Json);
    });
    await this.decisions.append(projection);
  }

  /** Makes the previous version live again. @throws VersionsRefused */
  async rollBack(name: string, context: CommandContext): Promise<Position> {
    return this.decide(name, context, async (versions) => {
      await versions.rollBack(async (tx, exchange) => {
        const data = { projection: name, ...exchange, reason: null };
        await Decisions.note(tx, { projection: name, event: { type: 'ProjectionRolledBack', data }, context });
      });
    });
  }

  /** Discards the candidate and ends its job. @throws VersionsRefused */
  async discard(name: string, context: CommandContext): Promise<Position> {
    return this.decide(name, context, (versions) =>
      versions.discard(async (tx, { version, job }) => {
        const data = { projection: name, version, reason: null };
        await Decisions.note(tx, { projection: name, event: { type: 'ProjectionCandidateDiscarded', data }, context });
        await new JobTable(tx).end(job!, 'failed', { message: REBUILD_MESSAGES.discarded });
      }),
    );
  }

  /** Copies the live version's rows to a candidate if their events were deleted. */
  carryOver(name: string, version: number): Promise<void> {
    return this.versionsOf(name).carryOver(version);
  }

  /**
   * Carries out a decision once per command and appends its event.
   * @returns the event's position; -1n if another process has appended it
   * @throws VersionsRefused
   */
  private async decide(
    name: string,
    { commandId }: CommandContext,
    change: (versions: VersionStore) => Promise<unknown>,
  ): Promise<Position> {
    const versions = this.versionsOf(name);
    const backoff = new Backoff(RETRY);
    const until = performance.now() + TRY_FOR_MS;
    while (!(await Decisions.isNoted(this.pool, commandId))) {
      try {
        await change(versions);
      } catch (error) {
        if (await Decisions.isNoted(this.pool, commandId)) break; // by the same command in another process
        if (!(error instanceof VersionsRefused && error.mayPass) || performance.now() > until) throw error;
        await sleep(backoff.nextDelay());
      }
    }
    return this.decisions.append(name);
  }

  private versionsOf(name: string): VersionStore {
    const projection = this.projections.find((each) => each.name === name);
    if (!projection) throw new VersionsRefused('other_program');
    return new VersionStore(this.pool, projection, this.store);
  }
}
