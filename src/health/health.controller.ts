import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import { reasonOf } from '../kernel/reason.js';
import { Metrics } from './metrics.js';
import { POOL } from '../postgres/tokens.js';

const CHECK_MS = 3_000;

/** Liveness, readiness and figures, from every role (management-api.md: The rest). */
@Controller()
export class HealthController {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  /** The process is alive; says nothing of what it depends on. */
  @Get('healthz')
  alive(): object {
    return { ok: true };
  }

  /** 200 where store, database and projections answer; else 503, and what does not. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const checks = {
      database: () => this.pool.query('select 1'),
      event_store: () => this.store.head(),
      projections: () => this.projections(),
    };
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const ok = results.every(([, result]) => result === 'ok');
    if (!ok) void reply.code(503).header('retry-after', '5');
    return { ok, checks: Object.fromEntries(results) };
  }

  /** Figures for Prometheus. */
  @Get('metrics')
  async figures(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }

  private async projections(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string; error: string | null }>(
      `select p.name, c.error from ops_projection p
       join ops_checkpoint c on c.name = p.name and c.version = p.live_version where c.error is not null`,
    );
    if (rows.length > 0) throw new Error(rows.map(({ name, error }) => `${name} stopped: ${error}`).join('; '));
  }
}

const outcome = async (check: () => Promise<unknown>): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${CHECK_MS} ms`), CHECK_MS);
  });
  const answer = check().then(() => 'ok', reasonOf);
  const result = await Promise.race([answer, late]);
  clearTimeout(timer);
  return result;
};
