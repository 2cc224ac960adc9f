import { Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import type { CommandContext, CommandOutcome } from '../../../commands/command.js';
import {
  ChangeVersions,
  type Promotion,
  PROMOTIONS,
  RebuildProjection,
  RetryProjection,
  SkipEvent,
} from '../../../commands/projection.js';
import { JobTable } from '../../../jobs/job.js';
import { isRejection } from '../../../kernel/result.js';
import {
  type CandidateStatus,
  type ProjectionFailure,
  type ProjectionState,
  type ProjectionStatus,
  ProjectionStatuses,
  VERIFY_PROJECTION,
} from '../../../projections/engine/projection-status.queries.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, ListView } from '../../transport/fields.js';
import { notFoundProblem, toHttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { jobResult, type JobView, startJob } from '../jobs/jobs.controller.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';

/** Body of POST /projections/{name}/rebuild. */
export class RebuildBody {
  /**
   * `auto` (default): the new version becomes live once it has caught up; `manual`: it waits for
   * POST /projections/{name}/promote.
   */
  @Must.beOneOf([...PROMOTIONS])
  readonly promote: Promotion = 'auto';
}

/** Body of POST /projections/{name}/skip. */
export class SkipBody {
  /** The reason why the event may be skipped. It is kept in the history. */
  @Must.beName()
  @Must.bePresent('why the event may be skipped')
  readonly reason!: string;
}

/** The event at which a projection has stopped. */
export class ProjectionErrorView {
  readonly message: string;
  readonly event_id: string;
  readonly position: string;
  readonly type: string;

  constructor({ message, eventId, position, type }: ProjectionFailure) {
    this.message = message;
    this.event_id = eventId;
    this.position = position;
    this.type = type;
  }
}

/** A version that is being built alongside the live one. */
export class CandidateView {
  readonly version: number;
  readonly position: string;
  readonly state: Exclude<ProjectionState, 'live'>;
  /** Events per second. */
  readonly rate: number;
  /** Null until it is known. */
  readonly eta_seconds: number | null;
  /** From 0 to 1. */
  readonly progress: number;

  constructor({ version, position, state, rate, etaSeconds, progress }: CandidateStatus) {
    this.version = version;
    this.position = String(position);
    this.state = state;
    this.rate = rounded(rate);
    this.eta_seconds = etaSeconds;
    this.progress = progress;
  }
}

/** A projection (management-api.md: `GET /projections`). */
export class ProjectionView {
  readonly name: string;
  /** Number of the live version; a rebuild creates the next version. */
  readonly version: number;
  readonly position: string;
  /** Position of the newest event. */
  readonly head: string;
  /** Number of events not applied yet; above a thousand, estimated as the difference between the positions. */
  readonly lag_events: number;
  /** Age of the oldest event that is not applied yet. */
  readonly lag_seconds: number;
  /** Events per second. */
  readonly rate: number;
  readonly state: ProjectionState;
  /** Null unless it has stopped. */
  readonly error: ProjectionErrorView | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;
  readonly candidate: CandidateView | null;
  /** The previous live version, the target of a rollback; null if there is none. */
  readonly previous: number | null;

  constructor(status: ProjectionStatus) {
    this.name = status.name;
    this.version = status.version;
    this.position = String(status.position);
    this.head = String(status.head);
    this.lag_events = status.lagEvents;
    this.lag_seconds = status.lagSeconds;
    this.rate = rounded(status.rate);
    this.state = status.state;
    this.error = status.error && new ProjectionErrorView(status.error);
    this.skipped = status.skipped;
    this.candidate = status.candidate && new CandidateView(status.candidate);
    this.previous = status.previous;
  }
}

const rounded = (rate: number): number => Math.round(rate * 10) / 10;

const NAME = /^[a-z][a-z-]{0,62}$/;
const operatorOnly = CALL_MESSAGES.projectionsForOperator;

/** Lets the operator view and manage projections (management-api.md: `GET /projections`). */
@Controller('manage/v1/projections')
@UseGuards(ApiKeyGuard)
export class ProjectionsController {
  constructor(
    private readonly statuses: ProjectionStatuses,
    private readonly changes: ChangePipeline,
    private readonly changeVersions: ChangeVersions,
    private readonly retryProjection: RetryProjection,
    private readonly skipEvent: SkipEvent,
    private readonly rebuildProjection: RebuildProjection,
    private readonly jobs: JobTable,
  ) {}

  @Documented({ summary: 'List projections', scope: 'read', operatorOnly })
  @Get()
  async list(): Promise<ListView<ProjectionView>> {
    const views = (await this.statuses.list()).map((status) => new ProjectionView(status));
    return new ListView(views, null);
  }

  @Documented({ summary: 'Show a projection', scope: 'read', operatorOnly })
  @Get(':name')
  async get(@Param('name') name: string): Promise<ProjectionView> {
    return this.findView(name);
  }

  @Documented({
    summary: 'Retry the event at which a projection has stopped',
    scope: 'manage',
    operatorOnly,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/retry')
  async retry(@TheCall() call: Call, @Param('name') name: string): Promise<ProjectionView> {
    return this.execute(call, name, () => this.retryProjection.execute(name));
  }

  @Documented({
    summary: 'Skip the event at which a projection has stopped',
    scope: 'manage',
    body: SkipBody,
    operatorOnly,
    codes: { 409: ['not_stopped'] },
  })
  @Post(':name/skip')
  async skip(@TheCall() call: Call, @Param('name') name: string): Promise<ProjectionView> {
    await this.findView(name);
    return this.changes.handlePost({ ...call, read: fieldsReader(SkipBody) }, async ({ reason }, change) => {
      const outcome = await this.skipEvent.execute(change.context, name, reason);
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  @Documented({
    summary: 'Rebuild a projection alongside its live version',
    scope: 'manage',
    body: RebuildBody,
    status: 202,
    operatorOnly,
    codes: { 409: ['candidate_exists', 'job_running', 'other_program'] },
  })
  @Post(':name/rebuild')
  async rebuild(@TheCall() call: Call, @Param('name') name: string): Promise<JobView> {
    await this.findView(name);
    const read = fieldsReader(RebuildBody);
    return this.changes.handlePost({ ...call, read, status: 202 }, async ({ promote }, change) => {
      const started = await this.rebuildProjection.execute(change.context, name, promote, change.newId('job'));
      if (isRejection(started)) throw toHttpProblem(started);
      return jobResult(started);
    });
  }

  @Documented({
    summary: 'Make the rebuilt version of a projection live',
    scope: 'manage',
    operatorOnly,
    codes: { 409: ['no_candidate', 'not_level', 'candidate_deployed', 'views_in_use', 'other_program'] },
  })
  @Post(':name/promote')
  async promote(@TheCall() call: Call, @Param('name') name: string): Promise<ProjectionView> {
    return this.execute(call, name, (context) => this.changeVersions.execute(context, name, 'promote'));
  }

  @Documented({
    summary: 'Make the previous version of a projection live again',
    scope: 'manage',
    operatorOnly,
    codes: { 409: ['no_previous', 'not_level', 'views_in_use', 'other_program'] },
  })
  @Post(':name/rollback')
  async rollback(@TheCall() call: Call, @Param('name') name: string): Promise<ProjectionView> {
    return this.execute(call, name, (context) => this.changeVersions.execute(context, name, 'rollBack'));
  }

  @Documented({
    summary: 'Discard the candidate of a projection',
    scope: 'manage',
    operatorOnly,
    codes: { 409: ['no_candidate', 'candidate_deployed', 'other_program'] },
  })
  @Post(':name/discard')
  async discard(@TheCall() call: Call, @Param('name') name: string): Promise<ProjectionView> {
    return this.execute(call, name, (context) => this.changeVersions.execute(context, name, 'discard'));
  }

  @Documented({
    summary: 'Compare a projection with a fresh replay of the history',
    scope: 'manage',
    status: 202,
    operatorOnly,
    codes: { 409: ['job_running'] },
  })
  @Post(':name/verify')
  async verify(@TheCall() call: Call, @Param('name') name: string): Promise<JobView> {
    await this.findView(name);
    return this.changes.handlePost({ ...call, status: 202 }, async () => {
      const job = { kind: VERIFY_PROJECTION, params: { projection: name }, subject: `projection ${name}` };
      return jobResult(await startJob(this.jobs, job));
    });
  }

  /** Makes a decision that takes no fields. @throws HttpProblem */
  private async execute(
    call: Call,
    name: string,
    decide: (context: CommandContext) => Promise<CommandOutcome>,
  ): Promise<ProjectionView> {
    await this.findView(name);
    return this.changes.handlePost(call, async (_, { context }) => {
      const outcome = await decide(context);
      return { outcome, readModels: [], show: () => this.findView(name) };
    });
  }

  /** @throws HttpProblem 404 */
  private async findView(name: string): Promise<ProjectionView> {
    const status = NAME.test(name) ? await this.statuses.find(name) : null;
    if (!status) throw notFoundProblem('projection');
    return new ProjectionView(status);
  }
}
