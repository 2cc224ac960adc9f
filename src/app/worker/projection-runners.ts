import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { createPool } from '../../postgres/pool.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import type { Projection } from '../../projections/engine/projection.js';
import { ProjectionRunner } from '../../projections/engine/runner.js';
import { Database } from '../database.js';
import { projectionsOf } from '../projections.js';
import type { BackgroundTask } from './background-task.js';

/** Runs the projections, each over a connection of its own. */
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
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
  ) {
    setMaxListeners(0, this.stopping.signal);
  }

  start(): void {
    this.running = Promise.all(projectionsOf(this.settings).map((projection) => this.runProjection(projection)));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Runs one projection. The server ends a transaction that stands still on its connection. */
  private async runProjection(projection: Projection): Promise<void> {
    const { store, codec, leases, progress, log } = this;
    const idleInTransactionMs = Math.max(2_000, this.settings.leaseMs / 2);
    const options = { max: 1, applicationName: `crosspost ${projection.name}`, logger: log, idleInTransactionMs };
    const pool = createPool(this.database.connectionString, options);
    const dependencies = { pool, versionsPool: this.database.pool, store, codec, leases, progress, log };
    await new ProjectionRunner(projection, dependencies).run(this.stopping.signal);
    await pool.end();
  }
}
