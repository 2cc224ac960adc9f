import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { createPool } from '../../postgres/pool.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { Decisions } from '../../projections/engine/rebuild/rebuilds.js';
import { ProjectionRunner } from '../../projections/engine/runner.js';
import { Database, longestIdleTransaction } from '../database.js';

/** Work that a process does from startup until it is stopped. */
export interface BackgroundTask {
  start(): void;
  /** Stops the work cleanly; resolves once it has stopped. */
  stop(): Promise<void>;
}

/** Work that runs until it is stopped. */
export interface RunningSaga {
  /**
   * Runs until `drain` is aborted, then completes the work in progress.
   * @param abort aborted when running calls to networks and customers' servers must stop at once
   */
  run(drain: AbortSignal, abort: AbortSignal): Promise<void>;
}

/** How long a stopping worker waits for its sends to finish, in ms. Aborting a send leaves the post in doubt. */
const DRAIN_MS = 3_000;

/** Runs a saga. When stopped, gives the sends in progress {@link DRAIN_MS} to finish. */
export class SagaTask implements BackgroundTask {
  private readonly drain = new AbortController();
  private readonly abort = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly saga: RunningSaga) {
    // Hundreds of channels may listen at a time, which is not a leak.
    setMaxListeners(0, this.drain.signal, this.abort.signal);
  }

  start(): void {
    this.running = this.saga.run(this.drain.signal, this.abort.signal);
  }

  async stop(): Promise<void> {
    this.drain.abort();
    const timer = setTimeout(() => this.abort.abort(), DRAIN_MS);
    await this.running;
    clearTimeout(timer);
  }
}

/** Runs the projections. Each holds a connection for the duration of a transaction. */
@Injectable()
export class ProjectionRunners implements BackgroundTask {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly leases: Leases,
    private readonly progress: ProjectionProgress,
    private readonly decisions: Decisions,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(PROJECTIONS) private readonly projections: readonly Projection[],
    @Inject(LOG) private readonly log: Logger,
  ) {
    setMaxListeners(0, this.stopping.signal);
  }

  start(): void {
    this.running = this.runAll();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runAll(): Promise<void> {
    const { database, store, codec, leases, progress, decisions, log } = this;
    const pool = this.openPool();
    const dependencies = { pool, versionsPool: database.pool, store, codec, leases, progress, decisions, log };
    const runners = this.projections.map((projection) => new ProjectionRunner(projection, dependencies));
    await Promise.all(runners.map((runner) => runner.run(this.stopping.signal)));
    if (pool !== database.pool) await pool.end();
  }

  private openPool(): Pool {
    const { connections, connectionString, pool } = this.database;
    const max = connections.projections;
    if (max === 0) return pool;
    const idleInTransactionMs = longestIdleTransaction(this.settings);
    const applicationName = 'crosspost projections';
    return createPool(connectionString, { max, applicationName, logger: this.log, idleInTransactionMs });
  }
}
