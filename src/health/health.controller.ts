import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { checkEventStore } from '../event-store/check-event-store.js';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import { reasonOf } from '../kernel/reason.js';
import { Metrics } from './metrics.js';
import { POOL } from '../postgres/tokens.js';
import { withTimeLimit } from '../runtime/time-limit.js';

const CHECK_MS = 3_000;

/** Answers liveness, readiness and metrics, in every role (management-api.md: The rest). */
@Controller()
export class HealthController {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  /** Reports that the process is alive, whatever the state of its dependencies. */
  @Get('healthz')
  readLiveness(): object {
    return { ok: true };
  }

  /** Answers 200 if store, database and projections work; otherwise 503 with those that do not. */
  @Get('readyz')
  async readReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const checks = {
      database: () => this.pool.query('select 1'),
      event_store: () => checkEventStore(this.store),
      projections: () => this.checkProjections(),
    };
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await describeOutcome(check)] as const),
    );
    const ok = results.every(([, result]) => result === 'ok');
    if (!ok) void reply.code(503).header('retry-after', '5');
    return { ok, checks: Object.fromEntries(results) };
  }

  /** Returns the metrics for Prometheus. */
  @Get('metrics')
  async readMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }

  private async checkProjections(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string; error: string | null }>(
      `select p.name, c.error from ops_projection p
       join ops_checkpoint c on c.name = p.name and c.version = p.live_version where c.error is not null`,
    );
    if (rows.length > 0) throw new Error(rows.map(({ name, error }) => `${name} stopped: ${error}`).join('; '));
  }
}

const describeOutcome = (check: () => Promise<unknown>): Promise<string> =>
  withTimeLimit(check(), CHECK_MS, () => new Error(`no answer within ${CHECK_MS} ms`)).then(() => 'ok', reasonOf);
