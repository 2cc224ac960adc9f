import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Job, JOB_STATES, JobRuns, type JobState, JobTable, type NewJob } from '../../../jobs/job.js';
import type { Clock, Instant } from '../../../kernel/clock.js';
import type { Json } from '../../../kernel/ids.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { buildListView, isCursorOf, type ListView, PageQuery, readQuery, toPage } from '../../transport/fields.js';
import { HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getOwnerScope } from '../api-key.guard.js';
import type { Change, ChangeResult } from '../change-pipeline.js';
import { IdPipe } from '../common-fields.js';
import { CALL_MESSAGES } from '../messages.js';

/** A job (management-api.md: `GET /jobs`). */
export class JobView {
  readonly id: string;
  readonly kind: string;
  /** Name of the projection that the job rebuilds or verifies; null for other types of jobs. */
  readonly projection: string | null;
  readonly state: JobState;
  /** From 0 to 1. */
  readonly progress: number;
  /** Seconds until the job finishes at its current pace; null if that is unknown or the job has finished. */
  readonly eta_seconds: number | null;
  /** Null while the job is running; `{message}` if it failed. */
  readonly result: Json;

  constructor({ id, kind, state, progress, etaSeconds, params, result }: Job) {
    this.id = id;
    this.kind = kind;
    this.projection = typeof params.projection === 'string' ? params.projection : null;
    this.state = state;
    this.progress = progress;
    this.eta_seconds = etaSeconds;
    this.result = result;
  }
}

/** Starts a job. @throws HttpProblem 409 while another job with the same subject is running */
export const startJob = async (jobs: JobTable, job: NewJob): Promise<Job> => {
  try {
    return await jobs.start(job);
  } catch (error) {
    if (!(error instanceof JobRuns)) throw error;
    throw HttpProblem.withMessage(409, 'job_running', CALL_MESSAGES.jobRuns({ id: error.runningId }));
  }
};

/** Returns who asked for a job, for the events that it appends. */
export const askerOf = ({ context: { actor, actorName, requestId } }: Pick<Change, 'context'>) => ({
  actor,
  ...(actorName !== undefined && { actorName }),
  requestId,
});

/** Reads the time before which a job works. @throws HttpProblem 422 if it is in the future */
export const readBefore = (before: string, clock: Clock): Instant => {
  const at = Date.parse(before);
  if (at <= clock.now()) return at;
  throw new HttpProblem(422, 'before_in_future', [
    { path: 'before', code: 'before_in_future', message: CALL_MESSAGES.beforeInFuture },
  ]);
};

/** Returns the result of a call that started a job. It has no position, because starting a job appends no event. */
export const jobResult = (job: Job): ChangeResult<JobView> => ({
  outcome: { position: -1n },
  readModels: [],
  show: async () => new JobView(job),
});

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

  @Documented({
    summary: 'List jobs',
    scope: 'read',
    forAuditors: true,
    query: JobsQuery,
    operatorOnly: CALL_MESSAGES.jobsForOperator,
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<JobView>> {
    const query = readQuery(request, JobsQuery);
    const page = toPage(query);
    const jobs = await this.jobs.list(query.state, page.after, page.limit + 1, getOwnerScope(request));
    return buildListView(
      jobs,
      page,
      ({ id }) => id,
      (shown) => shown.map((job) => new JobView(job)),
    );
  }

  /** Owners see the jobs that concern them, such as the erasing of their content. */
  @Documented({ summary: 'Show a job', scope: 'read', forAuditors: true })
  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<JobView> {
    const job = await this.jobs.find(id, getOwnerScope(request));
    if (!job) throw notFoundProblem('job');
    return new JobView(job);
  }
}
