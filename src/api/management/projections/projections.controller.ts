import { Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandOutcome } from '../../../commands/command-result.js';
import { ChangeVersions } from '../../../commands/projection/change-versions.js';
import { RebuildProjection } from '../../../commands/projection/rebuild-projection.js';
import { RetryProjection } from '../../../commands/projection/retry-projection.js';
import { SkipEvent } from '../../../commands/projection/skip-event.js';
import { JobRuns, JobTable } from '../../../jobs/job-table.js';
import { isRejection } from '../../../kernel/result.js';
import { ProjectionStatuses, VERIFY_PROJECTION } from '../../../projections/engine/projection-status.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { ListView } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import type { Change } from '../change.js';
import { ChangePipeline } from '../change-pipeline.js';
import { notFoundProblem, toHttpProblem } from '../http-problems.js';
import { JobView } from '../jobs/job.view.js';
import { CALL_MESSAGES, JOB_MESSAGES } from '../messages.js';
import { EmptyBody } from '../pause.body.js';
import { RebuildBody, SkipBody } from './projection.bodies.js';
import { ProjectionView } from './projection.view.js';

/** Pattern of projection names. */
const NAME = /^[a-z][a-z-]{0,62}$/;

/**
 * Shows the projections to the operator and carries out decisions about them (management-api.md: `GET /projections`).
 */
@Controller('manage/v1/projections')
@UseGuards(ApiKeyGuard)
export class ProjectionsController {
  constructor(
    private readonly statuses: ProjectionStatuses,
    private readonly changes: ChangePipeline,
    private readonly commands: CommandBus,
    private readonly jobs: JobTable,
  ) {}

  @Documented({ summary: 'List projections', operatorOnly: CALL_MESSAGES.projectionsForOperator })
  @Get()
  async list(): Promise<ListView<ProjectionView>> {
    const all = await this.statuses.list();
    return new ListView(
      all.map((status) => new ProjectionView(status)),
      null,
    );
  }

  @Documented({ summary: 'Show a projection', operatorOnly: CALL_MESSAGES.projectionsForOperator })
  @Get(':name')
  async get(@Param('name') name: string): Promise<ProjectionView> {
    return this.findView(name);
  }

  @Documented({
    summary: 'Retry the event at which a projection has stopped',
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/retry')
  async retry(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<ProjectionView> {
    await this.findView(name);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody) }, async () => {
      const outcome = await this.commands.execute(new RetryProjection(name));
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  @Documented({
    summary: 'Skip the event at which a projection has stopped',
    body: SkipBody,
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/skip')
  async skip(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<ProjectionView> {
    await this.findView(name);
    return this.changes.handlePost({ request, reply, read: fieldsReader(SkipBody) }, async ({ reason }, change) => {
      const outcome = await this.commands.execute(new SkipEvent(change.context, name, reason));
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  @Documented({
    summary: 'Rebuild a projection alongside its live version',
    body: RebuildBody,
    status: 202,
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['candidate_exists', 'job_running', 'other_program'] },
  })
  @Post(':name/rebuild')
  async rebuild(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<JobView> {
    await this.findView(name);
    const call = { request, reply, read: fieldsReader(RebuildBody), status: 202 as const };
    return this.changes.handlePost(call, async ({ promote }, change) => {
      const command = new RebuildProjection(change.context, name, promote, change.newId('job'));
      const started = await this.commands.execute(command);
      if (isRejection(started)) throw toHttpProblem(started);
      return { outcome: { position: -1n }, readModels: [], show: async () => new JobView(started) };
    });
  }

  @Documented({
    summary: 'Make the rebuilt version of a projection live',
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['no_candidate', 'not_level', 'candidate_deployed', 'views_in_use', 'other_program'] },
  })
  @Post(':name/promote')
  async promote(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<ProjectionView> {
    return this.decide(request, reply, name, (context) => new ChangeVersions(context, name, 'promote'));
  }

  @Documented({
    summary: 'Make the previous version of a projection live again',
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['no_previous', 'not_level', 'views_in_use', 'other_program'] },
  })
  @Post(':name/rollback')
  async rollback(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<ProjectionView> {
    return this.decide(request, reply, name, (context) => new ChangeVersions(context, name, 'rollBack'));
  }

  @Documented({
    summary: 'Discard the candidate of a projection',
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['no_candidate', 'candidate_deployed', 'other_program'] },
  })
  @Post(':name/discard')
  async discard(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<ProjectionView> {
    return this.decide(request, reply, name, (context) => new ChangeVersions(context, name, 'discard'));
  }

  @Documented({
    summary: 'Compare a projection with a fresh replay of the history',
    status: 202,
    operatorOnly: CALL_MESSAGES.projectionsForOperator,
    codes: { 409: ['job_running'] },
  })
  @Post(':name/verify')
  async verify(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<JobView> {
    await this.findView(name);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody), status: 202 }, async () => {
      const job = await this.startVerification(name);
      return { outcome: { position: -1n }, readModels: [], show: async () => job };
    });
  }

  /** Carries out a decision about the versions. @throws HttpProblem */
  private async decide(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    commandOf: (context: Change['context']) => Command<CommandOutcome>,
  ): Promise<ProjectionView> {
    await this.findView(name);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody) }, async (_, { context }) => {
      const outcome = await this.commands.execute(commandOf(context));
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  /** @throws HttpProblem 409 while another job works on the projection */
  private async startVerification(name: string): Promise<JobView> {
    try {
      const subject = `projection ${name}`;
      return new JobView(await this.jobs.start({ kind: VERIFY_PROJECTION, params: { projection: name }, subject }));
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
      throw HttpProblem.withMessage(409, 'job_running', JOB_MESSAGES.alreadyRuns({ id: error.runningId }));
    }
  }

  /** @throws HttpProblem 404 */
  private async findView(name: string): Promise<ProjectionView> {
    const status = NAME.test(name) ? await this.statuses.find(name) : null;
    if (!status) throw notFoundProblem('projection');
    return new ProjectionView(status);
  }
}
