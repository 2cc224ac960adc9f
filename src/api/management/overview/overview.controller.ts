import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getCaller, getListScope } from '../caller.js';
import { OverviewBuilder } from './overview.builder.js';
import { CurrentOverviewQuery } from './overview.query.js';
import type { CurrentOverviewView } from './overview.view.js';

/** Shows what is published, what waits, and what needs someone's attention (management-api.md: Overview). */
@Controller('manage/v1/overview')
@UseGuards(ApiKeyGuard)
export class OverviewController {
  constructor(private readonly overview: OverviewBuilder) {}

  @Documented({
    summary: 'Show what is published, what waits and what needs attention',
    query: CurrentOverviewQuery,
    codes: { 404: ['not_found'] },
  })
  @Get()
  async show(@Req() request: FastifyRequest): Promise<CurrentOverviewView> {
    const caller = getCaller(request);
    const ownerId = getListScope(caller, readQuery(request, CurrentOverviewQuery).owner_id);
    return this.overview.build(caller.kind, ownerId);
  }
}
