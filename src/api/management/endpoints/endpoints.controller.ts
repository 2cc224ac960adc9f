import { Controller, Delete, Get, Header, HttpCode, Inject, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ChangeEndpoint,
  CreateEndpoint,
  DeleteEndpoint,
  DisableEndpointByOwner,
  EnableEndpoint,
  OpenConsoleEndpoint,
  RotateEndpointSlug,
  RotateEndpointToken,
  RotateSigningSecret,
} from '../../../commands/endpoint.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import { CancelPlannedPosts } from '../../../commands/post/withdraw-posts.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { Drafts } from '../../../drafts/drafts.js';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import { FindResource } from '../../../projections/discovery/discovery.queries.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import { hashToken, newSigningSecret, newSlug, newToken } from '../../../secrets/tokens.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { Gate } from '../../public/gate/gate.js';
import type { ManagedEndpoint } from '../../public/gate/gate-request.js';
import { answerPost, PublishView } from '../../public/post.views.js';
import { TIME_CODES } from '../../public/posts.controller.js';
import { Sandbox } from '../../public/sandbox/sandbox.controller.js';
import type { SandboxProblemView, SandboxView } from '../../public/sandbox/sandbox.view.js';
import { fieldsReader, type ListView, readQuery } from '../../transport/fields.js';
import { ApiKeyGuard, getAuthor, getSight } from '../api-key.guard.js';
import { ChangePipeline, READ_MODELS_OF_DELETION } from '../change-pipeline.js';
import { ID_PATTERN, NoQuery, toInstant } from '../common-fields.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  requireOwner,
  type ResourceCall,
  TheCall,
  withOwner,
} from '../owned-resources.js';
import {
  CancelledPostsView,
  CancelPlannedBody,
  consoleEndpointSettings,
  createEndpointChangeReader,
  createEndpointReader,
  describeConsoleEndpoint,
  describeEndpointChange,
  describeNewEndpoint,
  type DisabledEndpointView,
  type EndpointView,
  EndpointViewBuilder,
  type EndpointWithSecretView,
  type NewEndpointView,
  readConsoleEndpoint,
  type RotatedTokenView,
  RotateSecretBody,
} from './endpoint.dto.js';

const READ_MODELS = ['discovery'];

/** Manages the endpoints that posts are sent to (publish-api.md: Inbound endpoint; management-api.md: Routes). */
@Controller('manage/v1/endpoints')
@UseGuards(ApiKeyGuard)
export class EndpointsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly createEndpoint: CreateEndpoint,
    private readonly openConsoleEndpoint: OpenConsoleEndpoint,
    private readonly changeEndpoint: ChangeEndpoint,
    private readonly deleteEndpoint: DeleteEndpoint,
    private readonly enableEndpoint: EnableEndpoint,
    private readonly cancelPlannedPosts: CancelPlannedPosts,
    private readonly findResource: FindResource,
    private readonly resources: OwnedResources,
    private readonly views: EndpointViewBuilder,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({
    summary: 'Create an endpoint',
    scope: 'manage',
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
      const outcome = await this.createEndpoint.execute(change.context, fields);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView({ ...call, id }), shownOnce };
    });
  }

  @Documented({
    summary: 'Open the endpoint through which the console publishes',
    scope: 'post',
    description:
      'A key that may not approve cannot get around the approval that another endpoint requires: a new endpoint then requires it too, and an existing one does not get its projects.',
    body: describeConsoleEndpoint,
    codes: { 402: ['plan_not_allowed', 'resource_limit'] },
  })
  @Post('console')
  async openConsole(@TheCall() call: Call): Promise<EndpointView> {
    const read = withOwner(call.request, readConsoleEndpoint);
    return this.changes.handlePost({ ...call, read }, async ({ ownerId, projectIds }, change) => {
      await requireOwner(this.findResource, ownerId);
      // The token is never shown: the console publishes with its own key.
      const { token, ...secrets } = await change.drawSecrets(() => ({
        slug: newSlug(),
        token: newToken(this.settings.brand, 'live'),
        signingSecret: newSigningSecret(),
      }));
      const settings = consoleEndpointSettings(this.settings.limitsProfile, projectIds);
      const { id, outcome } = await this.openConsoleEndpoint.execute(change.context, {
        ownerId,
        ...secrets,
        tokenHash: hashToken(token),
        settings,
      });
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView({ ...call, id }) };
    });
  }

  @Documented({ summary: 'List endpoints', scope: 'read', forLimitedKeys: true, query: LIST_QUERIES.endpoint })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<EndpointView>> {
    return this.resources.listResources(request, 'endpoint', (rows) => rows.map((row) => this.views.buildView(row)));
  }

  @Documented({ summary: 'Show an endpoint', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.views.buildView(call.resource);
  }

  @Documented({ summary: 'Change an endpoint', scope: 'manage', body: describeEndpointChange })
  @Patch(':id')
  async change(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    const read = createEndpointChangeReader(this.settings.limitsProfile);
    return this.changes.handlePatch({ ...call, read }, async (settings, change) => {
      const outcome = await this.changeEndpoint.execute(change.context, call.id, settings);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Delete an endpoint', scope: 'manage' })
  @Delete(':id')
  async delete(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.deleteEndpoint.execute(change.context, call.id);
      return { outcome, readModels: READ_MODELS_OF_DELETION };
    });
  }

  @Documented({ summary: 'Enable an endpoint', scope: 'manage', codes: { 402: ['plan_not_allowed'] } })
  @Post(':id/enable')
  async enable(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.enableEndpoint.execute(change.context, call.id);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Disable an endpoint', scope: 'manage' })
  @Post(':id/disable')
  async disable(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<DisabledEndpointView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.commands.execute(new DisableEndpointByOwner(change.context, call.id));
      const readModels = [...READ_MODELS, 'planned-posts'];
      return { outcome, readModels, show: () => this.views.findViewWithPlanned(call) };
    });
  }

  @Documented({
    summary: 'Cancel the planned posts that an endpoint has accepted',
    scope: 'post',
    forLimitedKeys: true,
    body: CancelPlannedBody,
  })
  @Post(':id/cancel-planned')
  async cancelPlanned(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<CancelledPostsView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(CancelPlannedBody) }, async ({ since }, change) => {
      const outcome = await this.cancelPlannedPosts.execute(change.context, call.id, toInstant(since) ?? null);
      const show = () => Promise.resolve(new CancelledPostsView(outcome.cancelled));
      return { outcome, readModels: READ_MODELS_OF_POSTS, show };
    });
  }
}

/** Query parameters of POST /endpoints/{id}/posts. */
export class PublishQuery {
  /** Draft to delete once the post is accepted. */
  @Must.match(ID_PATTERN, 'an id such as drf_…')
  readonly draft_id: string | undefined;
}

/**
 * Publishes and checks posts the way `/v1` does, but with a management key instead of the endpoint's token, signature
 * and allowlist (management-api.md: posts with a management key).
 */
@Controller('manage/v1/endpoints/:id')
@UseGuards(ApiKeyGuard)
export class EndpointPostsController {
  constructor(
    private readonly gate: Gate,
    private readonly sandbox: Sandbox,
    private readonly drafts: Drafts,
  ) {}

  @Documented({
    summary: 'Publish a post through an endpoint',
    scope: 'post',
    forLimitedKeys: true,
    body: PublishPayloadDto,
    query: PublishQuery,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    passesGate: true,
    codes: {
      402: ['quota_exhausted', 'resource_limit'],
      403: ['test_endpoint'],
      422: ['invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Post('posts')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @OfResource('endpoint') { request, resource }: ResourceCall<'endpoint'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { draft_id: draftId } = readQuery(request, PublishQuery);
    const received = await this.gate.receivePost(request, managedEndpoint(request, resource));
    // The post is accepted, so a failure to delete the draft must not fail the request.
    const scope = { ...getSight(request), ownerId: resource.owner_id };
    if (draftId !== undefined) await this.drafts.delete(draftId, scope, null).catch(() => false);
    answerPost(request, reply, received);
  }

  @Documented({
    summary: 'Check and preview a payload without publishing',
    scope: 'post',
    forLimitedKeys: true,
    body: PublishPayloadDto,
    isQuestion: true,
    passesGate: true,
    codes: { 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['preview_budget', 'probe_budget'] },
  })
  @Post('sandbox')
  @HttpCode(200)
  async test(
    @OfResource('endpoint') { request, reply, resource }: ResourceCall<'endpoint'>,
  ): Promise<SandboxView | SandboxProblemView> {
    return this.sandbox.test(request, reply, managedEndpoint(request, resource));
  }
}

const managedEndpoint = (request: FastifyRequest, { endpoint_id, owner_id }: EndpointRow): ManagedEndpoint => ({
  endpointId: endpoint_id,
  ownerId: owner_id,
  sender: getAuthor(request),
});

/** Rotates endpoints' slugs, tokens and signing secrets (publish-api.md: Inbound endpoint; D-40, D-47). */
@Controller('manage/v1/endpoints/:id')
@UseGuards(ApiKeyGuard)
export class EndpointSecretsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly commands: CommandBus,
    private readonly rotateSigningSecret: RotateSigningSecret,
    private readonly views: EndpointViewBuilder,
    private readonly changes: ChangePipeline,
  ) {}

  @Documented({ summary: 'Replace the token of an endpoint', scope: 'manage' })
  @Post('rotate-token')
  async rotateToken(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<RotatedTokenView> {
    return this.changes.handlePost(call, async (_, change) => {
      const shownOnce = await change.drawSecrets(() => ({ token: newToken(this.settings.brand, call.resource.mode) }));
      const command = new RotateEndpointToken(change.context, call.id, hashToken(shownOnce.token));
      const outcome = await this.commands.execute(command);
      const readModels = [...READ_MODELS, 'planned-posts'];
      return { outcome, readModels, show: () => this.views.findViewWithPlanned(call), shownOnce };
    });
  }

  @Documented({ summary: 'Replace the slug of an endpoint', scope: 'manage', codes: { 409: ['cooldown'] } })
  @Post('rotate-slug')
  async rotateSlug(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointView> {
    return this.changes.handlePost(call, async (_, change) => {
      const { slug } = await change.drawSecrets(() => ({ slug: newSlug() }));
      const outcome = await this.commands.execute(new RotateEndpointSlug(change.context, call.id, slug));
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call) };
    });
  }

  @Documented({ summary: 'Replace the signing secret of an endpoint', scope: 'manage', body: RotateSecretBody })
  @Post('rotate-secret')
  async rotateSecret(@OfResource('endpoint') call: ResourceCall<'endpoint'>): Promise<EndpointWithSecretView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateSecretBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(() => ({ signing_secret: newSigningSecret() }));
      const overlapMs = (body.overlap_minutes ?? 0) * this.settings.minuteMs;
      const { signing_secret: secret } = shownOnce;
      const outcome = await this.rotateSigningSecret.execute(change.context, call.id, secret, overlapMs);
      return { outcome, readModels: READ_MODELS, show: () => this.views.findView(call), shownOnce };
    });
  }
}
