import { escapeLiteral, type Pool } from 'pg';
import type { EventCodec } from '../../event-store/codec.js';
import { serializeAnchor } from '../../event-store/store-records.js';
import type { Batch, EventStore, Position } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { withoutSyncCommit, withTransaction } from '../../postgres/pool.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import type { Leases } from '../../postgres/leases.js';
import { BatchPace } from '../../runtime/batch-pace.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { RowCache } from './row-cache.js';
import { type Projection, tableSchema } from './projection.js';
import type { ProjectionProgress } from './progress.js';
import { readVersions, type VersionStore } from './version-store.js';

/** The dependencies of a lane. */
export interface LaneDependencies {
  /** A separate pool for projections; its server-side settings end a transaction that hangs. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly log: Log;
}

/** Another process has moved the checkpoint, or the version was dropped: this lane's position is outdated. */
class CheckpointMoved extends Error {}

const RETRY_MS = 1_000;
/** Number of events in a batch from which the log counts as busy; see {@link Projection.batchIntervalMs}. */
const BUSY_BATCH_SIZE = 10;
/** Batches without a pause from which the log counts as busy. A few requests and their publications are never delayed. */
const BUSY_BATCHES = 10;
const BATCH_INTERVAL_MS = 20;
/** Minimum time between two moves of the checkpoint over events that do not concern the read model, ms. */
const UNREAD_INTERVAL_MS = 50;
/** Time between two attempts to promote a candidate whose views are in use, ms. */
const PROMOTION_RETRY_MS = 200;

/**
 * Feeds one version of a projection from the log, in order. A batch's rows and the checkpoint commit together, and the
 * checkpoint moves only from the position that this lane expects. That is both the fence between processes and the
 * idempotence. Each version has a lease of its own (ADR-101), which makes the lanes of other processes wait. A candidate
 * that has reached the end of the log becomes live.
 */
export class ProjectionLane {
  constructor(
    private readonly projection: Projection,
    private readonly version: number,
    private readonly versions: VersionStore,
    private readonly deps: LaneDependencies,
  ) {}

  /** Runs until the signal and survives outages. An event that cannot be applied stops the lane, and the error is recorded at its checkpoint. */
  async run(signal: AbortSignal): Promise<void> {
    const { name } = this.projection;
    const { leases, log } = this.deps;
    const lane = { projection: name, version: this.version };
    while (!signal.aborted) {
      try {
        const lease = await leases.acquire(`projection/${name}/${this.version}`, signal);
        if (!lease) return;
        try {
          await this.project(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CheckpointMoved) log.info(lane, 'another process has moved the checkpoint');
        else if (isUnavailable(error))
          log.warn({ ...lane, error: String(error) }, 'projection interrupted, will be retried');
        else {
          log.error({ ...lane, error: (error as Error).stack }, 'projection stopped at an event that it cannot apply');
          await this.recordError(String(error));
        }
        await sleepUnlessAborted(RETRY_MS, signal);
      }
    }
  }

  private async project(signal: AbortSignal): Promise<void> {
    const { name, batchIntervalMs = BATCH_INTERVAL_MS, handles = () => true } = this.projection;
    let position = await this.readCheckpoint();
    let isCandidate = (await readVersions(this.deps.pool, name))?.candidate?.version === this.version;
    this.deps.progress.recordPosition(name, this.version, position);
    // Types are excluded by name: a type that this program does not know is delivered and judged by `handles`.
    const except = this.deps.codec.types.filter((type) => !handles(type));
    const cache = new RowCache();
    const pace = new BatchPace(batchIntervalMs, BUSY_BATCHES);
    for await (const batch of this.deps.store.subscribe({ after: position, except, signal })) {
      if (signal.aborted) return;
      const startedAt = performance.now();
      if (batch.position > position || batch.events.length > 0) await this.commit(batch, position, cache, !isCandidate);
      position = batch.position;
      if (isCandidate && batch.isLive) {
        if (!(await this.promote(signal))) return;
        isCandidate = false;
      }
      if (!isCandidate) this.deps.progress.recordPosition(name, this.version, position);
      if (!batch.isLive) continue;
      if (batch.events.length === 0) {
        await this.sleepUntil(startedAt + UNREAD_INTERVAL_MS, signal);
        continue;
      }
      pace.record(startedAt);
      const pause = batch.events.length >= BUSY_BATCH_SIZE ? batchIntervalMs : pace.delay(startedAt);
      await this.sleepUntil(startedAt + pause, signal);
    }
  }

  /** Waits until this moment, so that events accumulate to larger batches. */
  private async sleepUntil(until: number, signal: AbortSignal): Promise<void> {
    const ms = until - performance.now();
    if (ms >= 1) await sleepUnlessAborted(ms, signal);
  }

  private async readCheckpoint(): Promise<Position> {
    const { rows } = await this.deps.pool.query<{ position: bigint }>(
      'select position from ops_checkpoint where name = $1 and version = $2',
      [this.projection.name, this.version],
    );
    if (!rows[0]) throw new CheckpointMoved();
    return rows[0].position;
  }

  /** @returns false if the signal is aborted first */
  private async promote(signal: AbortSignal): Promise<boolean> {
    while (!(await this.versions.promote(this.version))) {
      await sleepUnlessAborted(PROMOTION_RETRY_MS, signal);
      if (signal.aborted) return false;
    }
    this.deps.log.info({ projection: this.projection.name, version: this.version }, 'rebuilt projection is live');
    return true;
  }

  private async commit(batch: Batch, from: Position, cache: RowCache, isRead: boolean): Promise<void> {
    const { name, handles, commitsSynchronously = false, keepsAnchor = false } = this.projection;
    const events = handles ? batch.events.filter(({ type }) => handles(type)) : batch.events;
    const last = keepsAnchor ? events.at(-1) : undefined;
    const anchor = last ? `, anchor = ${escapeLiteral(serializeAnchor(last))}` : '';
    // All other values in these statements are numbers or names from this program.
    const move = `update public.ops_checkpoint set position = ${batch.position}, moved_at = now(), error = null${anchor}
      where name = '${name}' and version = ${this.version} and position = ${from}`;
    const notify = isRead ? `select pg_notify('projection', '${name} ${this.version} ${batch.position}')` : '';
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
      // The notification is sent with the commit.
      const results = await tx.query([path, disk, move, notify].join('; '));
      const [, , moved] = results as unknown as [unknown, unknown, { rowCount: number }];
      if (moved.rowCount !== 1) throw new CheckpointMoved();
      await this.projection.apply(tx, decoded, cache);
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
