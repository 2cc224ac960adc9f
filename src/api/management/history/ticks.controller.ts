import { Controller, Get, Inject, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Timelines } from '../../../history/timeline/timeline.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { fieldProblem } from '../http-problems.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { OwnedResources } from '../owned-resources.js';
import { toInstant } from '../time.js';
import { TicksQuery, toBuckets } from './ticks.query.js';
import { TicksView } from './ticks.view.js';

/** Shows what happened when, for the console's time slider (management-api.md: `GET /history/ticks`). */
@Controller('manage/v1/history/ticks')
@UseGuards(ApiKeyGuard)
export class TicksController {
  constructor(
    private readonly timelines: Timelines,
    private readonly resources: OwnedResources,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Documented({ summary: 'Count events over time, with pauses and changes by people', query: TicksQuery })
  @Get()
  async ticks(@Req() request: FastifyRequest): Promise<TicksView> {
    const query = readQuery(request, TicksQuery);
    const scope = await this.resources.findHistoryScope(request, query.owner_id);
    const now = this.clock.now();
    const times = { from: toInstant(query.from), to: toInstant(query.to) ?? now };
    const timeline = await this.timelines.show(scope, { ...times, buckets: toBuckets(query.buckets), now });
    if (!timeline) throw fieldProblem('to', 'out_of_order', HISTORY_MESSAGES.emptyTime);
    return new TicksView(timeline);
  }
}
