import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { CancelPlannedPosts } from '../../../commands/endpoint/cancel-planned-posts.js';
import { ChangeEndpoint } from '../../../commands/endpoint/change-endpoint.js';
import { CreateEndpoint } from '../../../commands/endpoint/create-endpoint.js';
import { DeleteEndpoint } from '../../../commands/endpoint/delete-endpoint.js';
import { DisableEndpointByOwner } from '../../../commands/endpoint/disable-endpoint-by-owner.js';
import { EnableEndpoint } from '../../../commands/endpoint/enable-endpoint.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/read-models.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import { hashToken, newSigningSecret, newSlug, newToken } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import type { ListView } from '../../transport/page.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { NoQuery } from '../cascade.query.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { LIST_QUERIES, OwnedResources } from '../owned-resources.js';
import { EmptyBody } from '../pause.body.js';
import { PlanQuotas } from '../plan-quotas.js';
import { type Call, OfResource, type ResourceCall, TheCall } from '../resource-call.js';
import { requireOwner, withOwner } from '../resource-owner.js';
import { toInstant } from '../time.js';
import {
  CancelPlannedBody,
  createEndpointChangeReader,
  createEndpointReader,
  describeEndpointChange,
  describeNewEndpoint,
} from './endpoint.bodies.js';
import {
  CancelledPostsView,
  type DisabledEndpointView,
  type EndpointView,
  type NewEndpointView,
} from './endpoint.view.js';
import { EndpointViewBuilder } from './endpoint-view-builder.js';

const READ_MODELS = ['discovery'];

/** Manages the endpoints that posts are sent to (publish-api.md: Inbound endpoint; management-api.md: Routes). */
@Controller('manage/v1/endpoints')
@UseGuards(ApiKeyGuard)
export class EndpointsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly views: EndpointViewBuilder,
    private readonly changes: ChangePipeline,
    private readonly quotas: PlanQuotas,
  ) {}

  @Documented({
    summary: 'Create an endpoint',
    body: describeNewEndpoint,
    status: 201,
    codes: { 402: ['plan_not_allowed', 'resource_limit'] },
  })
  @Post()
  async create(@TheCall() call: Call): Promise<NewEndpointView> {
    const read = withOwner(call.request, createEndpointReader(this.settings.limitsProfile));
    return this.changes.handlePost({ ...call, read, status: 201 }, async ({ ownerId, mode, settings }, change) => {
      await requireOwner(this.findResource, ownerId);
      const id = change.newId('ep');
      const { slug, ...shownOnce } = await change.drawSecrets(() => ({
        slug: newSlug(),
        token: newToken(this.settings.brand, mode),
        signing_secret: newSigningSecret(),
      }));
      const { token, signing_secret: signingSecret } = shownOnce;
      const fields = { endpointId: id, ownerId, slug, mode, tokenHash: hashToken(token), signingSecret, settings };
      const command = new CreateEndpoint(change.context, fields, this.quotas.inputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView({ ...call, id }), shownOnce };
    });
  }

  @Documented({ summary: 'List endpoints', query: LIST_QUERIES.endpoint })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<EndpointView>> {
    return this.resources.listResources(request, 'endpoint', (rows) => rows.map((row) => this.views.buildView(row)));
  }

  @Documented({ summary: 'Show an endpoint' })
  @Get(':id')
  async get(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.views.buildView(call.resource);
  }

  @Documented({ summary: 'Change an endpoint', body: describeEndpointChange })
  @Patch(':id')
  async change(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    const read = createEndpointChangeReader(this.settings.limitsProfile);
    return this.changes.handlePatch({ ...call, read }, async (settings, change) => {
      const outcome = await this.commands.execute(new ChangeEndpoint(change.context, call.id, settings));
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Delete an endpoint' })
  @Delete(':id')
  async delete(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.commands.execute(new DeleteEndpoint(change.context, call.id));
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({ summary: 'Enable an endpoint', codes: { 402: ['plan_not_allowed'] } })
  @Post(':id/enable')
  async enable(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const command = new EnableEndpoint(change.context, call.id, this.quotas.inputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Disable an endpoint' })
  @Post(':id/disable')
  async disable(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<DisabledEndpointView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const outcome = await this.commands.execute(new DisableEndpointByOwner(change.context, call.id));
      const readModels = [...READ_MODELS, 'planned-posts'];
      return { outcome, readModels, show: () => this.views.findViewWithPlanned(call) };
    });
  }

  @Documented({ summary: 'Cancel the planned posts that an endpoint has accepted', body: CancelPlannedBody })
  @Post(':id/cancel-planned')
  async cancelPlanned(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<CancelledPostsView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(CancelPlannedBody) }, async ({ since }, change) => {
      const command = new CancelPlannedPosts(change.context, call.id, toInstant(since) ?? null);
      const outcome = await this.commands.execute(command);
      const show = () => Promise.resolve(new CancelledPostsView(outcome.cancelled));
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
  }
}
