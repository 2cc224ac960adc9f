import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { EventCodec } from '../../event-store/codec.js';
import { type Batch, BEGINNING, type EventStore, type Position } from '../../event-store/port.js';
import type { Log } from '../../kernel/log.js';
import { withoutDisk, withTransaction } from '../../postgres/pool.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import type { Leases } from '../../postgres/leases.js';
import { KeptRows } from './row-cache.js';
import { type Projection, tableSchema, viewSchema } from './projection.js';
import type { ProjectionProgress } from './progress.js';

/** What a runner works with. */
export interface RunnerDependencies {
  /** A pool with connections of its own for projections; a stuck transaction there is ended by the server. */
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly progress: ProjectionProgress;
  readonly log: Log;
}

/** Somebody else has moved the checkpoint: this runner's view of the log is old. */
class Fenced extends Error {}

const RETRY_MS = 1_000;
/** From so many events on in a batch the log is busy: see {@link Projection.gatherMs}. */
const MANY = 10;
const GATHER_MS = 20;

/**
 * Feeds one projection from the log, in one ordered lane. A batch's rows and the checkpoint commit together, and the
 * checkpoint moves only from where this runner believes it stands: that is both the fence between processes and the
 * idempotence. A lease keeps the runners of other processes waiting meanwhile.
 */
export class ProjectionRunner {
  private version = 1;
  private candidate = false;

  constructor(
    private readonly projection: Projection,
    private readonly on: RunnerDependencies,
  ) {}

  /** Runs until the signal; survives every outage. A poison event stops it visibly: the error stands at the checkpoint. */
  async run(signal: AbortSignal): Promise<void> {
    const { name } = this.projection;
    const { leases, log } = this.on;
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
        if (error instanceof Fenced) log.info({ projection: name }, 'another runner is ahead');
        else if (isUnavailable(error)) log.warn({ projection: name, error: String(error) }, 'projection interrupted');
        else {
          log.error(
            { projection: name, error: (error as Error).stack },
            'projection stopped at an event it cannot take',
          );
          await this.noteError(String(error));
        }
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async project(signal: AbortSignal): Promise<void> {
    let position = await this.prepare();
    this.on.progress.reached(this.projection.name, this.candidate ? BEGINNING : position);
    const { onDrop } = this;
    const { concerns = () => true } = this.projection;
    // Left out by name: what this program does not know comes along, and is judged by its name.
    const except = this.on.codec.types.filter((type) => !concerns(type));
    const kept = new KeptRows();
    for await (const batch of this.on.store.subscribe({ after: position, except, signal, onDrop })) {
      if (signal.aborted) return;
      const startedAt = performance.now();
      if (batch.position > position || batch.events.length > 0) await this.commit(batch, position, kept);
      position = batch.position;
      if (this.candidate && batch.live) await this.promote();
      if (!this.candidate) this.on.progress.reached(this.projection.name, position);
      if (batch.live && batch.events.length === 0) await this.gather(startedAt + GATHER_MS, signal);
      if (batch.live && batch.events.length >= MANY) {
        await this.gather(startedAt + (this.projection.gatherMs ?? GATHER_MS), signal);
      }
    }
  }

  /** Lets events come together until this moment. */
  private async gather(until: number, signal: AbortSignal): Promise<void> {
    const ms = until - performance.now();
    if (ms >= 1) await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  private readonly onDrop = (error: Error): void => {
    this.on.log.warn({ projection: this.projection.name, error: error.message }, 'subscription dropped; resuming');
  };

  /** Finds the checkpoint; makes the tables where there are none yet. */
  private async prepare(): Promise<Position> {
    return withTransaction(this.on.pool, async (tx) => {
      const { name, version: code } = this.projection;
      await tx.query(`select pg_advisory_xact_lock(hashtext('projection ' || $1))`, [name]);
      const { rows } = await tx.query<{ live_version: number; live_code: number }>(
        'select live_version, live_code from ops_projection where name = $1',
        [name],
      );
      const live = rows[0];
      this.candidate = live !== undefined && live.live_code !== code;
      this.version = live ? live.live_version + (this.candidate ? 1 : 0) : 1;
      const checkpoint = await tx.query<{ position: bigint; code: number }>(
        'select position, code from ops_checkpoint where name = $1 and version = $2',
        [name, this.version],
      );
      if (checkpoint.rows[0]?.code === code) return checkpoint.rows[0].position;
      await this.createTables(tx);
      if (!live) await this.goLive(tx);
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
  private async goLive(tx: PoolClient): Promise<void> {
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

  /** A candidate that has reached the end of the log takes over the views; the old tables stay for going back. */
  private async promote(): Promise<void> {
    await withTransaction(this.on.pool, (tx) => this.goLive(tx));
    this.candidate = false;
    this.on.log.info({ projection: this.projection.name, version: this.version }, 'rebuilt projection is live');
  }

  private async commit(batch: Batch, from: Position, kept: KeptRows): Promise<void> {
    const { name, concerns, waitsForDisk = false } = this.projection;
    const events = concerns ? batch.events.filter(({ type }) => concerns(type)) : batch.events;
    // Every value in these texts is a number or a name of ours.
    const move = `update public.ops_checkpoint set position = ${batch.position}, moved_at = now(), error = null
      where name = '${name}' and version = ${this.version} and position = ${from}`;
    const tell = this.candidate ? '' : `select pg_notify('projection', '${name} ${batch.position}')`;
    if (events.length === 0) {
      const { rowCount } = await this.on.pool.query(
        `with moved as (${move} returning 1) ${tell || 'select 1'}, ${withoutDisk} from moved`,
      );
      if (rowCount !== 1) throw new Fenced();
      return;
    }
    const decoded = events.map((event) => this.on.codec.decodeOnce(event));
    await withTransaction(this.on.pool, async (tx) => {
      const path = `set local search_path to ${tableSchema(name, this.version)}, public`;
      const disk = `set local synchronous_commit to ${waitsForDisk ? 'default' : 'off'}`;
      const results = await tx.query(`${path}; ${disk}; ${move}`);
      const [, , moved] = results as unknown as [unknown, unknown, { rowCount: number }];
      if (moved.rowCount !== 1) throw new Fenced();
      await this.projection.apply(tx, decoded, kept);
      if (tell) await tx.query(tell);
    });
  }

  private async noteError(error: string): Promise<void> {
    await this.on.pool
      .query('update ops_checkpoint set error = $3 where name = $1 and version = $2', [
        this.projection.name,
        this.version,
        error.slice(0, 2_000),
      ])
      .catch(() => undefined);
  }
}
