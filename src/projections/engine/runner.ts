import type { Pool, PoolClient } from 'pg';
import type { EventCodec } from '../../event-store/codec.js';
import { type Batch, BEGINNING, type EventStore, type Position } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { withoutSyncCommit, withTransaction } from '../../postgres/pool.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import type { Leases } from '../../postgres/leases.js';
import { RowCache } from './row-cache.js';
import { type Projection, tableSchema, viewSchema } from './projection.js';
import type { ProjectionProgress } from './progress.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** The dependencies of a runner. */
export interface RunnerDependencies {
  /** A separate pool for projections; its server-side settings end a transaction that hangs. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly log: Log;
}

/** Another runner has moved the checkpoint: this runner's position is outdated. */
class CheckpointMoved extends Error {}

const RETRY_MS = 1_000;
/** Number of events in a batch from which the log counts as busy; see {@link Projection.batchIntervalMs}. */
const BUSY_BATCH_SIZE = 10;
const BATCH_INTERVAL_MS = 20;

/**
 * Feeds one projection from the log, in order. A batch's rows and the checkpoint commit together, and the checkpoint moves
 * only from the position that this runner expects. That is both the fence between processes and the idempotence. A lease
 * makes the runners of other processes wait.
 */
export class ProjectionRunner {
  private version = 1;
  private isCandidate = false;

  constructor(
    private readonly projection: Projection,
    private readonly deps: RunnerDependencies,
  ) {}

  /** Runs until the signal and survives outages. An event that cannot be applied stops the projection, and the error is recorded at its checkpoint. */
  async run(signal: AbortSignal): Promise<void> {
    const { name } = this.projection;
    const { leases, log } = this.deps;
    while (!signal.aborted) {
      try {
        const lease = await leases.acquire(`projection/${name}`, signal);
        if (!lease) return;
        try {
          await this.project(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
      } catch (error) {
        if (error instanceof CheckpointMoved) log.info({ projection: name }, 'another runner has moved the checkpoint');
        else if (isUnavailable(error))
          log.warn({ projection: name, error: String(error) }, 'projection interrupted, will be retried');
        else {
          log.error(
            { projection: name, error: (error as Error).stack },
            'projection stopped at an event that it cannot apply',
          );
          await this.recordError(String(error));
        }
        await sleepUnlessAborted(RETRY_MS, signal);
      }
    }
  }

  private async project(signal: AbortSignal): Promise<void> {
    let position = await this.prepare();
    this.deps.progress.recordPosition(this.projection.name, this.isCandidate ? BEGINNING : position);
    const { onDrop } = this;
    const { handles = () => true } = this.projection;
    // Types are excluded by name: a type that this program does not know is delivered and judged by `handles`.
    const except = this.deps.codec.types.filter((type) => !handles(type));
    const cache = new RowCache();
    for await (const batch of this.deps.store.subscribe({ after: position, except, signal, onDrop })) {
      if (signal.aborted) return;
      const startedAt = performance.now();
      if (batch.position > position || batch.events.length > 0) await this.commit(batch, position, cache);
      position = batch.position;
      if (this.isCandidate && batch.isLive) await this.promote();
      if (!this.isCandidate) this.deps.progress.recordPosition(this.projection.name, position);
      if (batch.isLive && batch.events.length === 0) await this.sleepUntil(startedAt + BATCH_INTERVAL_MS, signal);
      if (batch.isLive && batch.events.length >= BUSY_BATCH_SIZE) {
        await this.sleepUntil(startedAt + (this.projection.batchIntervalMs ?? BATCH_INTERVAL_MS), signal);
      }
    }
  }

  /** Waits until this moment, so that events accumulate to larger batches. */
  private async sleepUntil(until: number, signal: AbortSignal): Promise<void> {
    const ms = until - performance.now();
    if (ms >= 1) await sleepUnlessAborted(ms, signal);
  }

  private readonly onDrop = (error: Error): void => {
    this.deps.log.warn({ projection: this.projection.name, error: error.message }, 'subscription dropped; resuming');
  };

  /** Reads the checkpoint; creates the tables if there are none. */
  private async prepare(): Promise<Position> {
    return withTransaction(this.deps.pool, async (tx) => {
      const { name, version: code } = this.projection;
      await tx.query(`select pg_advisory_xact_lock(hashtext('projection ' || $1))`, [name]);
      const { rows } = await tx.query<{ live_version: number; live_code: number }>(
        'select live_version, live_code from ops_projection where name = $1',
        [name],
      );
      const live = rows[0];
      this.isCandidate = live !== undefined && live.live_code !== code;
      this.version = live ? live.live_version + (this.isCandidate ? 1 : 0) : 1;
      const checkpoint = await tx.query<{ position: bigint; code: number }>(
        'select position, code from ops_checkpoint where name = $1 and version = $2',
        [name, this.version],
      );
      if (checkpoint.rows[0]?.code === code) return checkpoint.rows[0].position;
      await this.createTables(tx);
      if (!live) await this.pointViewsAtTables(tx);
      return BEGINNING;
    });
  }

  private async createTables(tx: PoolClient): Promise<void> {
    const { name, version: code, tables } = this.projection;
    const schema = tableSchema(name, this.version);
    await tx.query(
      `drop schema if exists ${schema} cascade; create schema ${schema}; set local search_path to ${schema}; ${tables}`,
    );
    await tx.query('set local search_path to default');
    await tx.query(
      `insert into ops_checkpoint (name, version, code, position) values ($1, $2, $3, $4)
       on conflict (name, version) do update set code = excluded.code, position = excluded.position, error = null`,
      [name, this.version, code, BEGINNING],
    );
  }

  /** Points the views at this version's tables. */
  private async pointViewsAtTables(tx: PoolClient): Promise<void> {
    const { name, version: code, views } = this.projection;
    const [schema, tables] = [viewSchema(name), tableSchema(name, this.version)];
    const create = views.map((view) => `create view ${schema}.${view} as select * from ${tables}.${view};`);
    await tx.query(`drop schema if exists ${schema} cascade; create schema ${schema}; ${create.join(' ')}`);
    await tx.query(
      `insert into ops_projection (name, live_version, live_code) values ($1, $2, $3)
       on conflict (name) do update set live_version = excluded.live_version, live_code = excluded.live_code`,
      [name, this.version, code],
    );
  }

  /** Points the views at a candidate that has reached the end of the log; the old tables remain for a rollback. */
  private async promote(): Promise<void> {
    await withTransaction(this.deps.pool, (tx) => this.pointViewsAtTables(tx));
    this.isCandidate = false;
    this.deps.log.info({ projection: this.projection.name, version: this.version }, 'rebuilt projection is live');
  }

  private async commit(batch: Batch, from: Position, cache: RowCache): Promise<void> {
    const { name, handles, commitsSynchronously = false } = this.projection;
    const events = handles ? batch.events.filter(({ type }) => handles(type)) : batch.events;
    // All values in these statements are numbers or names from this program.
    const move = `update public.ops_checkpoint set position = ${batch.position}, moved_at = now(), error = null
      where name = '${name}' and version = ${this.version} and position = ${from}`;
    const notify = this.isCandidate ? '' : `select pg_notify('projection', '${name} ${batch.position}')`;
    if (events.length === 0) {
      const { rowCount } = await this.deps.pool.query(
        `with moved as (${move} returning 1) ${notify || 'select 1'}, ${withoutSyncCommit} from moved`,
      );
      if (rowCount !== 1) throw new CheckpointMoved();
      return;
    }
    const decoded = events.map((event) => this.deps.codec.decodeCached(event));
    await withTransaction(this.deps.pool, async (tx) => {
      const path = `set local search_path to ${tableSchema(name, this.version)}, public`;
      const disk = `set local synchronous_commit to ${commitsSynchronously ? 'default' : 'off'}`;
      const results = await tx.query(`${path}; ${disk}; ${move}`);
      const [, , moved] = results as unknown as [unknown, unknown, { rowCount: number }];
      if (moved.rowCount !== 1) throw new CheckpointMoved();
      await this.projection.apply(tx, decoded, cache);
      if (notify) await tx.query(notify);
    });
  }

  private async recordError(error: string): Promise<void> {
    await this.deps.pool
      .query('update ops_checkpoint set error = $3 where name = $1 and version = $2', [
        this.projection.name,
        this.version,
        error.slice(0, 2_000),
      ])
      .catch(() => undefined);
  }
}
