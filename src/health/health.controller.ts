import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HealthRoutes } from './health-routes.js';

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
