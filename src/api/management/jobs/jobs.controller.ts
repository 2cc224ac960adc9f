import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { JOB_STATES, type JobState, JobTable } from '../../../jobs/job.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { buildListView, isCursorOf, type ListView, PageQuery, toPage } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { IdPipe } from '../common-fields.js';
import { notFoundProblem } from '../http-problems.js';
import { CALL_MESSAGES } from '../messages.js';
import { JobView } from './job.view.js';

/** Query parameters of the list of jobs. */
export class JobsQuery extends PageQuery {
  @isCursorOf('job')
  declare readonly cursor: string | undefined;

  @Must.beOneOf([...JOB_STATES])
  readonly state: JobState | undefined;
}

/** Shows the operator's long-running jobs (management-api.md: `GET /jobs`). */
@Controller('manage/v1/jobs')
@UseGuards(ApiKeyGuard)
export class JobsController {
  constructor(private readonly jobs: JobTable) {}

  @Documented({ summary: 'List jobs', query: JobsQuery, operatorOnly: CALL_MESSAGES.jobsForOperator })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<JobView>> {
    const query = readQuery(request, JobsQuery);
    const page = toPage(query);
    const jobs = await this.jobs.list(query.state, page.after, page.limit + 1);
    return buildListView(
      jobs,
      page,
      ({ id }) => id,
      (shown) => shown.map((job) => new JobView(job)),
    );
  }

  @Documented({ summary: 'Show a job', operatorOnly: CALL_MESSAGES.jobsForOperator })
  @Get(':id')
  async get(@Param('id', IdPipe) id: string): Promise<JobView> {
    const job = await this.jobs.find(id);
    if (!job) throw notFoundProblem('job');
    return new JobView(job);
  }
}
