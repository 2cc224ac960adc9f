import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MetricsAccess, MetricsDoor, MetricsPage } from './metrics.js';
import type { Readiness } from './readiness.js';

/** Health and metrics routes, served on PORT and METRICS_PORT (management-api.md: The rest). */
export class HealthRoutes {
  constructor(
    private readonly readiness: Readiness,
    private readonly page: MetricsPage,
    private readonly access: MetricsAccess,
  ) {}

  /** Reports that the process is alive, whatever the state of its dependencies. */
  readLiveness(): object {
    return { ok: true };
  }

  /** Returns 200 if the event store, the database and `discovery` work; otherwise 503 with the reasons. */
  async readReadiness(reply: FastifyReply): Promise<object> {
    const report = await this.readiness.read();
    if (!report.ok) void reply.code(503).header('retry-after', '5');
    return report;
  }

  /** Returns the metrics for Prometheus. @throws HttpProblem 401 */
  async readMetrics(door: MetricsDoor, { headers }: FastifyRequest, reply: FastifyReply): Promise<string> {
    this.access.check(door, headers.authorization);
    const page = await this.page.read();
    void reply.header('content-type', this.page.contentType);
    return page;
  }
}

/** Serves liveness, readiness and metrics on PORT, in every role (management-api.md: The rest). */
@Controller()
export class HealthController {
  constructor(private readonly routes: HealthRoutes) {}

  @Get('healthz')
  readLiveness(): object {
    return this.routes.readLiveness();
  }

  @Get('readyz')
  readReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.routes.readReadiness(reply);
  }

  @Get('metrics')
  readMetrics(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.routes.readMetrics('PORT', request, reply);
  }
}
