import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { FindEndpointTargets } from '../../projections/discovery/endpoint-targets.queries.js';
import { Documented } from '../documentation/documented.js';
import { Gate } from './gate/gate.js';
import { InfoView } from './info.view.js';

/** Handles discovery requests (publish-api.md: GET /v1/webhooks/{slug}/info). */
@Controller('v1/webhooks/:slug')
export class InfoController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly gate: Gate,
    private readonly findEndpointTargets: FindEndpointTargets,
  ) {}

  @Documented({ summary: 'Discover projects, targets and capabilities' })
  @Get('info')
  async info(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<InfoView> {
    const { endpoint } = await this.gate.admit(request, slug, 'discovery');
    const projects = await this.findEndpointTargets.execute(endpoint.endpoint_id);
    return new InfoView(endpoint, projects, this.clock.now());
  }
}
