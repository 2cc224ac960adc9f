import { Controller, Get, Inject, Param, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeEndpoint } from '../../../commands/endpoint/change-endpoint.js';
import { CreateEndpoint } from '../../../commands/endpoint/create-endpoint.js';
import { DeactivateEndpoint } from '../../../commands/endpoint/deactivate-endpoint.js';
import { EnableEndpoint } from '../../../commands/endpoint/enable-endpoint.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { newSigningSecret, newSlug, newToken, tokenHash } from '../../../secrets/tokens.js';
import { callerOf } from '../caller.js';
import { Changes } from '../changes.js';
import { fieldsOf } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { OwnedThings } from '../owned-resources.js';
import { owned, ownerMustExist } from '../resource-owner.js';
import type { ListAnswer } from '../page.js';
import { NoFields } from '../pause.body.js';
import { Quotas } from '../quotas.js';
import { EndpointViews } from './endpoint-views.js';
import { readEndpoint, readEndpointChange } from './endpoint.bodies.js';

const VIEWS = ['discovery'];

/** Endpoints: the doors for posts (publish-api.md: Inbound endpoint; management-api.md). */
@Controller('manage/v1/endpoints')
@UseGuards(KeyGuard)
export class EndpointsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly things: OwnedThings,
    private readonly views: EndpointViews,
    private readonly changes: Changes,
    private readonly quotas: Quotas,
  ) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const read = owned(callerOf(request), readEndpoint(this.settings.limitsProfile));
    return this.changes.post({ request, reply, read, status: 201 }, async ({ ownerId, mode, settings }, change) => {
      await ownerMustExist(this.queries, ownerId);
      const endpointId = change.newId('ep');
      const { slug, ...shownOnce } = await change.draw(() => ({
        slug: newSlug(),
        token: newToken(this.settings.brand, mode),
        signing_secret: newSigningSecret(),
      }));
      const { token, signing_secret: signingSecret } = shownOnce;
      const fields = { endpointId, ownerId, slug, mode, tokenHash: tokenHash(token), signingSecret, settings };
      const command = new CreateEndpoint(change.execution, fields, this.quotas.inputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.views.show(request, endpointId), shownOnce };
    });
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListAnswer> {
    return this.things.list(request, 'endpoint', (rows) => rows.map((row) => this.views.view(row)));
  }

  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<object> {
    return this.views.show(request, id);
  }

  @Patch(':id')
  async change(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'endpoint', id);
    const read = readEndpointChange(this.settings.limitsProfile);
    return this.changes.patch({ request, reply, read }, async (settings, change) => {
      const outcome = await this.commands.execute(new ChangeEndpoint(change.execution, id, settings));
      return { outcome, views: VIEWS, show: () => this.views.show(request, id) };
    });
  }

  @Post(':id/enable')
  async enable(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'endpoint', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const command = new EnableEndpoint(change.execution, id, this.quotas.inputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.views.show(request, id) };
    });
  }

  @Post(':id/disable')
  async disable(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    await this.things.find(request, 'endpoint', id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const outcome = await this.commands.execute(new DeactivateEndpoint(change.execution, id));
      return { outcome, views: VIEWS, show: () => this.views.show(request, id) };
    });
  }
}
