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
import type { BackgroundTask } from './tasks.js';

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
