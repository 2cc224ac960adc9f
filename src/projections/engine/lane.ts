import { escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg';
import { type EventCodec, UndecodableEvent } from '../../event-store/codec.js';
import {
  type Batch,
  type EventStore,
  isStoreOutage,
  type Position,
  type StoredEvent,
  Unavailable,
} from '../../event-store/port.js';
import { serializeAnchor } from '../../event-store/store-records.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { type Leases, whileHeld } from '../../postgres/leases.js';
import { withoutSyncCommit, withTransaction } from '../../postgres/pool.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import { Pace } from '../../runtime/pace.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { ProjectionProgress } from './progress.js';
import { applyBatch, type Projection, readSkippedEvents, tableSchema } from './projection.js';
import { divideBatches, readAhead } from './read-ahead.js';
import { createReadIndexes } from './read-versions.js';
import { RowCache } from './rows.js';
import { readVersions, type VersionStore } from './version-store.js';

/** Dependencies of a lane. */
export interface LaneDependencies {
  /** A separate pool for projections, whose server-side timeouts terminate a transaction that hangs. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly log: Log;
}

/** Another process has moved the checkpoint, or the version was dropped, so this lane's position is outdated. */
class CheckpointMoved extends Error {}

/** An event cannot be applied, so the version stops there until the event is retried or skipped. */
class EventFailed extends Error {
  constructor(
    readonly event: StoredEvent,
    override readonly cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause));
  }

  /** True if a newer program wrote the event: the event is valid, and a newer process can apply it. */
  get isNewer(): boolean {
    return this.cause instanceof UndecodableEvent && this.cause.isNewer;
  }
}

/** Progress of a version, as stored in the database. */
interface Checkpoint {
  readonly position: Position;
  /** True once the version has reached the end of the log. */
  readonly level: boolean;
}

/**
 * Role of a version: `read` for a live or previous version, `deployed` for a candidate of newer code, `rebuild` for the
 * candidate of a rebuild.
 */
type Role = 'read' | 'deployed' | 'rebuild';

/** SQLSTATEs: serialization failure, deadlock, or lock not available. */
const CONFLICT = /^(40|55P03)/;

/** True for a transient error that the batch's events did not cause. */
const isPassing = (error: unknown): boolean =>
  error instanceof CheckpointMoved ||
  error instanceof Unavailable ||
  isUnavailable(error) ||
  CONFLICT.test(String((error as { code?: unknown } | null)?.code));

const RETRY_MS = 1_000;
/** How many events a batch must have for the log to count as busy; see {@link Projection.batchIntervalMs}. */
const BUSY_BATCH_SIZE = 10;
/** How many batches may run back to back before they are spaced out, so that occasional requests are never delayed. */
const BUSY_BATCHES = 10;
const BATCH_INTERVAL_MS = 20;
/** Time between attempts to promote a candidate while its views are in use, in ms. */
const PROMOTION_RETRY_MS = 200;
/** How often to check for changes whose notifications were lost, in ms. */
const CHECK_MS = 15_000;

/**
 * Feeds one version of a projection from the log, in order. A batch's rows and the checkpoint commit together, and the
 * checkpoint moves only from the position that this lane expects, which fences off other processes and makes batches
 * idempotent. The version's lease (ADR-101) makes the lanes of other processes wait. A candidate of newer code becomes
 * live at the end of the log; a rebuild's candidate waits for its job (ADR-148). An event that cannot be applied stops
 * the version (ADR-146).
 */
export class ProjectionLane {
  /** Null if it must be read again because the versions have changed. */
  private role: Role | null = null;

  constructor(
    private readonly projection: Projection,
    private readonly version: number,
    private readonly versions: VersionStore,
    private readonly deps: LaneDependencies,
  ) {}

  /**
   * Runs until the signal is aborted; survives outages. An event that cannot be applied stops it until an operator
   * retries or skips the event; an event written by a newer program is retried periodically.
   */
  async run(signal: AbortSignal): Promise<void> {
    const off = this.deps.progress.onVersions(this.projection.name, () => (this.role = null));
    while (!signal.aborted) {
      const failed = await this.runOnce(signal);
      if (failed && !failed.isNewer) await this.waitForDecision(signal);
      else await sleepUnlessAborted(RETRY_MS, signal);
    }
    off();
  }

  /** Runs until the signal is aborted or an error occurs. @returns the event that stopped the version, if any */
  private async runOnce(signal: AbortSignal): Promise<EventFailed | null> {
    const { leases, log } = this.deps;
    const lane = { projection: this.projection.name, version: this.version };
    const name = `projection/${lane.projection}/${this.version}`;
    try {
      await whileHeld(leases, name, signal, (held) => this.project(held));
      leases.failingWork.recordSuccess(name);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof EventFailed) {
        const { id, type, position } = error.event;
        const event = { event_id: id, type, position: String(position) };
        log.error(
          { ...lane, ...event, err: error.cause ?? error },
          'projection stopped at an event that it cannot apply',
        );
        return (await this.recordFailure(error)) ? error : null;
      }
      leases.failingWork.recordFailure(name, reasonOf(error), RETRY_MS);
      if (error instanceof CheckpointMoved) log.info(lane, 'another process has moved the checkpoint');
      else if (isStoreOutage(error))
        log.debug({ ...lane, reason: reasonOf(error) }, 'projection waits until the event store is available');
      else if (isPassing(error))
        log.warn({ ...lane, reason: reasonOf(error) }, 'projection interrupted, will be retried');
      else log.error({ ...lane, err: error }, 'projection interrupted, will be retried');
    }
    return null;
  }

  private async project(signal: AbortSignal): Promise<void> {
    const { name, batchIntervalMs = BATCH_INTERVAL_MS, handles = () => true } = this.projection;
    const checkpoint = await this.readCheckpoint();
    let { position } = checkpoint;
    this.deps.progress.recordPosition(name, this.version, position);
    // Types are excluded by name, so events of types unknown to this program are still delivered, and `handles` decides
    // whether to apply them.
    const except = this.deps.codec.types.filter((type) => !handles(type));
    let cache = new RowCache();
    const pace = new Pace(batchIntervalMs, BUSY_BATCHES);
    this.role = null;
    let isLevel = false;
    for await (const batch of divideBatches(this.readBatches(checkpoint, except, signal))) {
      if (signal.aborted) return;
      const startedAt = performance.now();
      this.role ??= await this.readRole();
      // Once a rebuild's candidate has caught up, its job may make it live at any moment.
      const isRead = this.role === 'read' || (this.role === 'rebuild' && batch.isLive);
      const becomesLevel = batch.isLive && !isLevel;
      if (batch.position > position || batch.events.length > 0 || becomesLevel)
        cache = await this.commitOrIsolate(batch, position, cache, isRead);
      position = batch.position;
      isLevel ||= batch.isLive;
      if (this.role === 'deployed' && batch.isLive) {
        if (!(await this.promote(signal))) return;
        this.role = 'read';
      }
      if (this.role === 'read' || isRead) this.deps.progress.recordPosition(name, this.version, position);
      if (!batch.isLive || batch.events.length === 0) continue;
      pace.take(1, startedAt);
      // Pause so that the next events accumulate into a larger batch.
      const pause = batch.events.length >= BUSY_BATCH_SIZE ? batchIntervalMs : pace.delay(startedAt);
      const ms = startedAt + pause - performance.now();
      if (ms >= 1) await sleepUnlessAborted(ms, signal);
    }
  }

  /** Reads the log, starting from the checkpoint. A version gets its indexes before it counts as caught up. */
  private async *readBatches(
    { position: after, level }: Checkpoint,
    except: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<Batch> {
    const { store, codec } = this.deps;
    let hasIndexes = level;
    for await (const batch of readAhead(store, { after, except, signal }, (event) => codec.decodeAhead(event))) {
      if (hasIndexes || !batch.isLive) {
        yield batch;
        continue;
      }
      yield { ...batch, isLive: false };
      await createReadIndexes(this.deps.pool, this.projection, this.version);
      hasIndexes = true;
      // Otherwise, more events have arrived in the meantime, possibly many; they are read first.
      if ((await store.readHead()) <= batch.position) yield { events: [], position: batch.position, isLive: true };
    }
  }

  private async readCheckpoint(): Promise<Checkpoint> {
    const { rows } = await this.deps.pool.query<Checkpoint>(
      'select position, level from ops_checkpoint where name = $1 and version = $2',
      [this.projection.name, this.version],
    );
    if (!rows[0]) throw new CheckpointMoved();
    return rows[0];
  }

  private async readRole(): Promise<Role> {
    const candidate = (await readVersions(this.deps.pool, this.projection.name))?.candidate;
    if (candidate?.version !== this.version) return 'read';
    return candidate.job === null ? 'deployed' : 'rebuild';
  }

  /** @returns false if the signal is aborted first */
  private async promote(signal: AbortSignal): Promise<boolean> {
    await this.versions.carryOver(this.version);
    while (!(await this.versions.promote(this.version))) {
      await sleepUnlessAborted(PROMOTION_RETRY_MS, signal);
      if (signal.aborted) return false;
    }
    this.deps.log.info({ projection: this.projection.name, version: this.version }, 'rebuilt projection is live');
    return true;
  }

  /**
   * Commits a batch. If that fails, applies its events one by one, to identify the failing event and commit the earlier
   * ones. Leaves out a failing event that an operator has skipped (ADR-285).
   * @returns the cache for the next batch
   * @throws EventFailed
   */
  private async commitOrIsolate(batch: Batch, from: Position, cache: RowCache, isRead: boolean): Promise<RowCache> {
    try {
      await this.commit(batch, from, cache, isRead);
      return cache;
    } catch (error) {
      if (isPassing(error)) throw error;
    }
    const skipped = await readSkippedEvents(this.deps.store, this.deps.codec, this.projection.name);
    let position = from;
    for (const event of batch.events) {
      const part = { ...batch, events: [event], position: event.position };
      try {
        await this.commit(part, position, new RowCache(), isRead);
      } catch (error) {
        if (isPassing(error)) throw error;
        if (!skipped.has(event.id)) throw new EventFailed(event, error);
        await this.commit({ ...part, events: [] }, position, new RowCache(), isRead);
      }
      position = event.position;
    }
    if (batch.position > position) await this.commit({ ...batch, events: [] }, position, cache, isRead);
    return new RowCache();
  }

  private async commit(batch: Batch, from: Position, cache: RowCache, isRead: boolean): Promise<void> {
    const { name, handles, commitsSynchronously = false, keepsAnchor = false } = this.projection;
    const events = batch.events.filter(({ type }) => handles?.(type) ?? true);
    if (events.length === 0) {
      const { rowCount } = await this.deps.pool.query({
        ...(isRead ? MOVE_AND_NOTIFY : MOVE),
        values: [name, this.version, from, batch.position, batch.isLive],
      });
      if (rowCount !== 1) throw new CheckpointMoved();
      return;
    }
    const last = keepsAnchor ? events.at(-1) : undefined;
    // All other values in these statements are numbers or names from this program.
    const [key, to] = [`'${name}'`, String(batch.position)];
    const anchor = last ? `, anchor = ${escapeLiteral(serializeAnchor(last))}` : '';
    const move = moveCheckpoint(
      key,
      String(this.version),
      String(from),
      to,
      String(batch.isLive),
      events.length,
      anchor,
    );
    const notify = isRead ? [`select pg_notify('projection', '${name} ${this.version} ${to}')`] : [];
    const decoded = events.map((event) => this.deps.codec.decodeCached(event));
    const path = `set local search_path to ${tableSchema(name, this.version)}, public`;
    const disk = `set local synchronous_commit to ${commitsSynchronously ? 'default' : 'off'}`;
    const apply = async (tx: PoolClient, [moved]: readonly QueryResult[]): Promise<void> => {
      if (moved!.rowCount !== 1) throw new CheckpointMoved();
      await applyBatch(this.projection, tx, decoded, cache);
    };
    // PostgreSQL sends the notification on commit.
    await withTransaction(this.deps.pool, apply, 'read committed', [move, path, disk, ...notify]);
  }

  /**
   * Records the event at which the version has stopped.
   * @returns false if the version has moved past that event, or during an outage
   */
  private async recordFailure({ event, message }: EventFailed): Promise<boolean> {
    const failure = { event_id: event.id, position: String(event.position), type: event.type };
    const recorded = this.deps.pool.query(
      'update ops_checkpoint set error = $3, failure = $4 where name = $1 and version = $2 and position < $5',
      [this.projection.name, this.version, message.slice(0, 2_000), failure, event.position],
    );
    return recorded.then(
      ({ rowCount }) => rowCount === 1,
      () => false, // during an outage, the event is retried
    );
  }

  /** Waits until an operator has decided what to do about the failed event, or another process has applied it. */
  private async waitForDecision(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const changed = new AbortController();
      const off = this.deps.progress.onVersions(this.projection.name, () => changed.abort());
      if (!(await this.isStopped())) return off();
      await sleepUnlessAborted(CHECK_MS, AbortSignal.any([signal, changed.signal]));
      off();
    }
  }

  private async isStopped(): Promise<boolean> {
    const text = 'select failure is not null as stopped from ops_checkpoint where name = $1 and version = $2';
    return this.deps.pool.query<{ stopped: boolean }>(text, [this.projection.name, this.version]).then(
      ({ rows }) => rows[0]?.stopped ?? false,
      () => true,
    );
  }
}

/** Returns the SQL that moves a checkpoint. All arguments but the number of applied events are SQL. */
const moveCheckpoint = (
  name: string,
  version: string,
  from: string,
  to: string,
  isLive: string,
  events: number,
  more = '',
): string => `update public.ops_checkpoint
  set position = ${to}, moved_at = now(), error = null, failure = null${more},
    level = level or ${isLive}, ${measurePace(events, to)}
  where name = ${name} and version = ${version} and position = ${from}`;

/** Returns the SQL assignments that measure the pace, in intervals of two seconds. */
const measurePace = (events: number, position: string): string => {
  const ended = `now() >= interval_at + interval '2 s'`;
  const seconds = 'extract(epoch from now() - interval_at)';
  const atEnd = (column: string, value: string) => `${column} = case when ${ended} then ${value} else ${column} end`;
  return [
    `applied = applied + ${events}`,
    atEnd('events_per_second', `(applied + ${events} - interval_applied) / ${seconds}`),
    atEnd('positions_per_second', `(${position} - interval_position) / ${seconds}`),
    atEnd('interval_at', 'now()'),
    atEnd('interval_applied', `applied + ${events}`),
    atEnd('interval_position', `${position}`),
  ].join(', ');
};

const moveUnread = (name: string, result: string) => {
  const move = moveCheckpoint('$1', '$2', '$3', '$4::bigint', '$5', 0);
  return { name, text: `with moved as (${move} returning 1) select ${result}, ${withoutSyncCommit} from moved` };
};
/** Statements for a batch without events. Named, because planning them takes longer than executing them. */
const MOVE = moveUnread('move', '1');
const MOVE_AND_NOTIFY = moveUnread('move and notify', `pg_notify('projection', concat_ws(' ', $1, $2, $4::bigint))`);
