import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { ApiKeyGuard, getCaller, getListScope } from '../api-key.guard.js';
import { OwnerQuery } from '../common-fields.js';
import { OverviewBuilder } from './overview.builder.js';
import type { CurrentOverviewView } from './overview.view.js';

/** Shows what was published, what is waiting, and what needs someone's attention (management-api.md: Overview). */
@Controller('manage/v1/overview')
@UseGuards(ApiKeyGuard)
export class OverviewController {
  constructor(private readonly overview: OverviewBuilder) {}

  @Documented({
    summary: 'Show what is published, what waits and what needs attention',
    query: OwnerQuery,
    codes: { 404: ['not_found'] },
  })
  @Get()
  async show(@Req() request: FastifyRequest): Promise<CurrentOverviewView> {
    const ownerId = getListScope(request, readQuery(request, OwnerQuery).owner_id);
    return this.overview.build(getCaller(request).kind, ownerId);
  }
}
