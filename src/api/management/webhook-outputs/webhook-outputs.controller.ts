import { Controller, Delete, Get, Inject, Param, Patch, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PingWebhookOutput, RetryDeliveries } from '../../../commands/delivery.js';
import {
  ChangeWebhookOutput,
  CreateWebhookOutput,
  DeleteWebhookOutput,
  DisableOutputByOwner,
  EnableWebhookOutput,
  RotateOutputSecret,
} from '../../../commands/webhook-output.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import {
  DeliveryBodies,
  FindDelivery,
  FindFailedDeliveries,
  type FoundDelivery,
  ListDeliveries,
  type ListedDelivery,
} from '../../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { newSigningSecret } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import {
  type ArchivedListView,
  buildListView,
  fieldsReader,
  type ListView,
  readQuery,
  toPage,
} from '../../transport/fields.js';
import { HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getOwnerScope, HeavyReadTurn } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { IdPipe, NoQuery } from '../common-fields.js';
import { RotateSecretBody } from '../endpoints/endpoint.dto.js';
import { CALL_MESSAGES } from '../messages.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
} from '../owned-resources.js';
import {
  createWebhookOutputChangeReader,
  createWebhookOutputReader,
  DeliveriesQuery,
  DeliveryView,
  type RetriedOutputView,
  RetryFailedBody,
  WebhookOutputBody,
  WebhookOutputPatchBody,
  WebhookOutputView,
  type WebhookOutputWithSecretView,
} from './webhook-output.dto.js';

const READ_MODELS = ['discovery', 'webhook-deliveries'];

/** Manages webhook outputs: customers' URLs that receive the events of a project (D-29; management-api.md: Routes). */
@Controller('manage/v1/webhook-outputs')
@UseGuards(ApiKeyGuard)
export class WebhookOutputsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly createWebhookOutput: CreateWebhookOutput,
    private readonly enableWebhookOutput: EnableWebhookOutput,
    private readonly rotateOutputSecret: RotateOutputSecret,
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
  ) {}

  @Post()
  @Documented({
    summary: 'Create a webhook output',
    scope: 'manage',
    body: WebhookOutputBody,
    status: 201,
    codes: { 402: ['plan_not_allowed', 'resource_limit'] },
  })
  async create(@TheCall() call: Call): Promise<WebhookOutputWithSecretView> {
    const read = createWebhookOutputReader(this.policy);
    return this.changes.handlePost({ ...call, read, status: 201 }, async (body, change) => {
      const outputId = change.newId('whk');
      const shownOnce = await change.drawSecrets(newSecret);
      const output = { outputId, ...body, signingSecret: shownOnce.secret };
      const callerId = getOwnerScope(call.request);
      const outcome = await this.createWebhookOutput.execute(change.context, output, callerId);
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id: outputId }), shownOnce };
    });
  }

  @Get()
  @Documented({ summary: 'List webhook outputs', scope: 'read', query: LIST_QUERIES.webhook_output })
  async list(@Req() request: FastifyRequest): Promise<ListView<WebhookOutputView>> {
    const now = this.clock.now();
    return this.resources.listResources(request, 'webhook_output', (rows) =>
      rows.map((row) => new WebhookOutputView(row, now)),
    );
  }

  @Get(':id')
  @Documented({ summary: 'Show a webhook output', scope: 'read' })
  async get(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return new WebhookOutputView(call.resource, this.clock.now());
  }

  @Patch(':id')
  @Documented({ summary: 'Change a webhook output', scope: 'manage', body: WebhookOutputPatchBody })
  async change(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    const read = createWebhookOutputChangeReader(this.policy);
    return this.changes.handlePatch({ ...call, read }, async (body, change) => {
      const outcome = await this.commands.execute(new ChangeWebhookOutput(change.context, call.id, body));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Delete(':id')
  @Documented({ summary: 'Delete a webhook output', scope: 'manage' })
  async delete(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.commands.execute(new DeleteWebhookOutput(change.context, call.id));
      return { outcome, readModels: READ_MODELS };
    });
  }

  @Post(':id/enable')
  @Documented({ summary: 'Enable a webhook output', scope: 'manage', codes: { 402: ['plan_not_allowed'] } })
  async enable(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.enableWebhookOutput.execute(change.context, call.id);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Post(':id/disable')
  @Documented({ summary: 'Disable a webhook output', scope: 'manage' })
  async disable(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.commands.execute(new DisableOutputByOwner(change.context, call.id));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Post(':id/rotate-secret')
  @Documented({ summary: 'Replace the signing secret of a webhook output', scope: 'manage', body: RotateSecretBody })
  async rotateSecret(
    @OfResource('webhook_output') call: ResourceCall<'webhook_output'>,
  ): Promise<WebhookOutputWithSecretView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateSecretBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(newSecret);
      const overlapMs = (body.overlap_minutes ?? 0) * this.settings.minuteMs;
      const outcome = await this.rotateOutputSecret.execute(change.context, call.id, shownOnce.secret, overlapMs);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call), shownOnce };
    });
  }

  private async findView({ request, id }: ResourcePlace): Promise<WebhookOutputView> {
    const row = await this.resources.findResource(request, 'webhook_output', id);
    return new WebhookOutputView(row, this.clock.now());
  }
}

/** Generates a secret and returns it in both formats. */
const newSecret = () => {
  const secret = newSigningSecret();
  return { secret, secret_whsec: `whsec_${Buffer.from(secret).toString('base64')}` };
};

const DELIVERY_READ_MODELS = ['webhook-deliveries'];
/** Batch size of `retry-failed`, in deliveries. */
const BATCH_SIZE = 200;

/** Shows and resends webhook deliveries (D-30; management-api.md: Routes). */
@Controller('manage/v1')
@UseGuards(ApiKeyGuard)
export class DeliveriesController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly pingWebhookOutput: PingWebhookOutput,
    private readonly retryDeliveries: RetryDeliveries,
    private readonly listDeliveriesQuery: ListDeliveries,
    private readonly findFailedDeliveries: FindFailedDeliveries,
    private readonly findDelivery: FindDelivery,
    private readonly bodies: DeliveryBodies,
    private readonly changes: ChangePipeline,
  ) {}

  @UseInterceptors(HeavyReadTurn)
  @Get('webhook-outputs/:id/deliveries')
  @Documented({ summary: 'List the deliveries of a webhook output', scope: 'read', query: DeliveriesQuery })
  async listDeliveries(
    @OfResource('webhook_output') { request, id }: ResourceCall<'webhook_output'>,
  ): Promise<ArchivedListView<DeliveryView>> {
    const query = readQuery(request, DeliveriesQuery);
    const page = toPage(query);
    const range = { before: page.after, limit: page.limit + 1 };
    const part = await this.listDeliveriesQuery.execute(id, query.state, range);
    return buildListView(
      part,
      page,
      ({ position }) => position,
      (shown) => Promise.all(shown.map((row) => this.buildListed(row))),
    );
  }

  @Post('webhook-outputs/:id/test')
  @Documented({ summary: 'Send a test ping', scope: 'manage', status: 201, codes: { 402: ['plan_not_allowed'] } })
  async test(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<DeliveryView> {
    return this.changes.handlePost({ ...call, status: 201 }, async (_, change) => {
      const deliveryId = change.newId('dlv');
      const outcome = await this.pingWebhookOutput.execute(change.context, call.id, deliveryId);
      return { outcome, readModels: DELIVERY_READ_MODELS, show: () => this.findView(call.request, deliveryId) };
    });
  }

  @Post('webhook-outputs/:id/retry-failed')
  @Documented({
    summary: 'Send failed deliveries again',
    scope: 'manage',
    body: RetryFailedBody,
    codes: { 409: ['output_disabled'] },
  })
  async retryFailed(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<RetriedOutputView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RetryFailedBody) }, async ({ since }, change) => {
      let retried = 0;
      let outcome = await this.retryDeliveries.execute(change.context, call.id, []);
      for (let after = '-1'; !isRejection(outcome);) {
        const failed = await this.findFailedDeliveries.execute(call.id, Date.parse(since), after, BATCH_SIZE);
        if (failed.length === 0) break;
        const ids = failed.map(({ deliveryId }) => deliveryId);
        outcome = await this.retryDeliveries.execute(change.context, call.id, ids);
        retried += ids.length;
        after = failed.at(-1)!.position;
      }
      const show = async () => ({ ...new WebhookOutputView(call.resource, this.clock.now()), retried });
      return { outcome, readModels: DELIVERY_READ_MODELS, show };
    });
  }

  @UseInterceptors(HeavyReadTurn)
  @Get('deliveries/:id')
  @Documented({ summary: 'Show a delivery', scope: 'read' })
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<DeliveryView> {
    return this.findView(request, id);
  }

  @Post('deliveries/:id/retry')
  @Documented({
    summary: 'Send a delivery again',
    scope: 'manage',
    codes: { 409: ['archived', 'content_erased', 'output_disabled'] },
  })
  async retry(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<DeliveryView> {
    const { output_id: outputId, content_erased: isErased, isArchived } = await this.findRow(call.request, id);
    if (isArchived) throw HttpProblem.withMessage(409, 'archived', CALL_MESSAGES.deliveryArchived);
    if (isErased) throw HttpProblem.withMessage(409, 'content_erased', CALL_MESSAGES.deliveryErased);
    return this.changes.handlePost(call, async (_, change) => {
      const outcome = await this.retryDeliveries.execute(change.context, outputId, [id]);
      return { outcome, readModels: DELIVERY_READ_MODELS, show: () => this.findView(call.request, id) };
    });
  }

  private async findView(request: FastifyRequest, id: string): Promise<DeliveryView> {
    const row = await this.findRow(request, id);
    return new DeliveryView(row, await this.bodies.readBody(row));
  }

  private async buildListed(row: ListedDelivery): Promise<DeliveryView> {
    const { body_truncated: isTruncated } = row;
    return new DeliveryView(row, isTruncated ? null : await this.bodies.readBody(row), isTruncated);
  }

  private async findRow(request: FastifyRequest, id: string): Promise<FoundDelivery> {
    const row = await this.findDelivery.execute(id, getOwnerScope(request));
    if (!row) throw notFoundProblem('delivery');
    return row;
  }
}
