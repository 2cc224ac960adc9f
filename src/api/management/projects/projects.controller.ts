import { Controller, Get, Inject, Param, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeProject } from '../../../commands/project/change-project.js';
import { CreateProject } from '../../../commands/project/create-project.js';
import { PauseTargets } from '../../../commands/pause/pause-targets.js';
import { ResumeTargets } from '../../../commands/pause/resume-targets.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { addressPolicy, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { callerOf } from '../caller.js';
import { Changes } from '../changes.js';
import { fieldsOf } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { OwnedThings } from '../owned-resources.js';
import { owned, ownerMustExist } from '../resource-owner.js';
import type { ListAnswer } from '../page.js';
import { NoFields, PauseDraft } from '../pause.body.js';
import { readProject, readProjectChange } from './project.bodies.js';
import { projectView } from './project.view.js';

const VIEWS = ['discovery', 'publish-schedule'];

/** Projects: lists of channels with the processing that posts get (management-api.md). */
@Controller('manage/v1/projects')
@UseGuards(KeyGuard)
export class ProjectsController {
  private readonly policy: AddressPolicy;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly things: OwnedThings,
    private readonly changes: Changes,
  ) {
    this.policy = addressPolicy(settings.allowPrivateAddresses);
  }

  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const read = owned(callerOf(request), readProject(this.policy));
    return this.changes.post({ request, reply, read, status: 201 }, async (draft, change) => {
      await ownerMustExist(this.queries, draft.ownerId);
      const projectId = change.newId('prj');
      const outcome = await this.commands.execute(new CreateProject(change.execution, { projectId, ...draft }));
      return { outcome, views: VIEWS, show: () => this.show(request, projectId) };
    });
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListAnswer> {
    const now = this.clock.now();
    return this.things.list(request, 'project', (rows) => rows.map((row) => projectView(row, now)));
  }

  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<object> {
    return this.show(request, id);
  }

  @Patch(':id')
  async change(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'project', id);
    return this.changes.patch({ request, reply, read: readProjectChange(this.policy) }, async (draft, change) => {
      const outcome = await this.commands.execute(new ChangeProject(change.execution, id, draft));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/pause')
  async pause(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'project', id);
    return this.changes.post({ request, reply, read: fieldsOf(PauseDraft) }, async ({ minutes }, change) => {
      const scope = { projects: { ids: [id], minutes } };
      const command = new PauseTargets(change.execution, scope, 'management', this.settings.minuteMs);
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  @Post(':id/resume')
  async resume(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'project', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const outcome = await this.commands.execute(new ResumeTargets(change.execution, { projectIds: [id] }));
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  private async show(request: FastifyRequest, id: string): Promise<object> {
    return projectView(await this.things.find(request, 'project', id), this.clock.now());
  }
}
