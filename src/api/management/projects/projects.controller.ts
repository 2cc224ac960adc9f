import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PauseTargets, ResumeTargets } from '../../../commands/pause.js';
import { ChangeProject, CreateProject, DeleteProject } from '../../../commands/project.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import type { ListView } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { CascadeQuery, EmptyBody, PauseBody } from '../common-fields.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  requireOwner,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
  withOwner,
} from '../owned-resources.js';
import {
  createProjectChangeReader,
  createProjectReader,
  ProjectBody,
  ProjectPatchBody,
  ProjectView,
} from './project.dto.js';
import type { ProcessingRules } from './read-processing.js';

const READ_MODELS = ['discovery', 'publish-schedule'];

/** Manages projects: lists of channels with their post processing (management-api.md: Routes). */
@Controller('manage/v1/projects')
@UseGuards(ApiKeyGuard)
export class ProjectsController {
  private readonly rules: ProcessingRules;

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    platforms: PlatformCatalogue,
  ) {
    this.rules = { policy, platforms: platforms.ids };
  }

  @Documented({ summary: 'Create a project', body: ProjectBody, status: 201, codes: { 402: ['resource_limit'] } })
  @Post()
  async create(@TheCall() call: Call): Promise<ProjectView> {
    const read = withOwner(call.request, createProjectReader(this.rules));
    return this.changes.handlePost({ ...call, read, status: 201 }, async (body, change) => {
      await requireOwner(this.findResource, body.ownerId);
      const projectId = change.newId('prj');
      const outcome = await this.commands.execute(new CreateProject(change.context, { projectId, ...body }));
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id: projectId }) };
    });
  }

  @Documented({ summary: 'List projects', query: LIST_QUERIES.project })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<ProjectView>> {
    const now = this.clock.now();
    return this.resources.listResources(request, 'project', (rows) => rows.map((row) => new ProjectView(row, now)));
  }

  @Documented({ summary: 'Show a project' })
  @Get(':id')
  async get(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return new ProjectView(call.resource, this.clock.now());
  }

  @Documented({ summary: 'Change a project', body: ProjectPatchBody })
  @Patch(':id')
  async change(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePatch({ ...call, read: createProjectChangeReader(this.rules) }, async (body, change) => {
      const outcome = await this.commands.execute(new ChangeProject(change.context, call.id, body));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Delete a project', query: CascadeQuery, codes: { 409: ['in_use'] } })
  @Delete(':id')
  async delete(@OfResource('project') call: ResourceCall<'project'>): Promise<void> {
    const { cascade } = readQuery(call.request, CascadeQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.commands.execute(new DeleteProject(change.context, call.id, cascade === 'true'));
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({ summary: 'Pause a project', body: PauseBody })
  @Post(':id/pause')
  async pause(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(PauseBody) }, async ({ minutes }, change) => {
      const scope = { projects: { ids: [call.id], minutes } };
      const command = new PauseTargets(change.context, scope, { source: 'management' });
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Documented({ summary: 'Resume a project' })
  @Post(':id/resume')
  async resume(@OfResource('project') call: ResourceCall<'project'>): Promise<ProjectView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const outcome = await this.commands.execute(new ResumeTargets(change.context, { projectIds: [call.id] }));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  private async findView({ request, id }: ResourcePlace): Promise<ProjectView> {
    return new ProjectView(await this.resources.findResource(request, 'project', id), this.clock.now());
  }
}
