import { Controller, Delete, Get, Inject, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
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
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { newSigningSecret } from '../../../secrets/tokens.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import type { ListView } from '../../transport/page.js';
import { ApiKeyGuard, getOwnerScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { EmptyBody, NoQuery } from '../common-fields.js';
import { RotateSecretBody } from '../endpoints/endpoint.dto.js';
import {
  type Call,
  LIST_QUERIES,
  OfResource,
  OwnedResources,
  type ResourceCall,
  type ResourcePlace,
  TheCall,
} from '../owned-resources.js';
import { PlanQuotas } from '../plan-quotas.js';
import {
  createWebhookOutputChangeReader,
  createWebhookOutputReader,
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
    private readonly resources: OwnedResources,
    private readonly changes: ChangePipeline,
    private readonly quotas: PlanQuotas,
  ) {}

  @Post()
  @Documented({
    summary: 'Create a webhook output',
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
      const command = new CreateWebhookOutput(change.context, output, callerId, this.quotas.outputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.findView({ ...call, id: outputId }), shownOnce };
    });
  }

  @Get()
  @Documented({ summary: 'List webhook outputs', query: LIST_QUERIES.webhook_output })
  async list(@Req() request: FastifyRequest): Promise<ListView<WebhookOutputView>> {
    const now = this.clock.now();
    return this.resources.listResources(request, 'webhook_output', (rows) =>
      rows.map((row) => new WebhookOutputView(row, now)),
    );
  }

  @Get(':id')
  @Documented({ summary: 'Show a webhook output' })
  async get(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return new WebhookOutputView(call.resource, this.clock.now());
  }

  @Patch(':id')
  @Documented({ summary: 'Change a webhook output', body: WebhookOutputPatchBody })
  async change(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    const read = createWebhookOutputChangeReader(this.policy);
    return this.changes.handlePatch({ ...call, read }, async (body, change) => {
      const outcome = await this.commands.execute(new ChangeWebhookOutput(change.context, call.id, body));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Delete(':id')
  @Documented({ summary: 'Delete a webhook output' })
  async delete(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<void> {
    readQuery(call.request, NoQuery);
    return this.changes.handleDelete(call, async (change) => {
      const outcome = await this.commands.execute(new DeleteWebhookOutput(change.context, call.id));
      return { outcome, readModels: READ_MODELS };
    });
  }

  @Post(':id/enable')
  @Documented({ summary: 'Enable a webhook output', codes: { 402: ['plan_not_allowed'] } })
  async enable(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const command = new EnableWebhookOutput(change.context, call.id, this.quotas.outputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Post(':id/disable')
  @Documented({ summary: 'Disable a webhook output' })
  async disable(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<WebhookOutputView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const outcome = await this.commands.execute(new DisableOutputByOwner(change.context, call.id));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call) };
    });
  }

  @Post(':id/rotate-secret')
  @Documented({ summary: 'Replace the signing secret of a webhook output', body: RotateSecretBody })
  async rotateSecret(
    @OfResource('webhook_output') call: ResourceCall<'webhook_output'>,
  ): Promise<WebhookOutputWithSecretView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RotateSecretBody) }, async (body, change) => {
      const shownOnce = await change.drawSecrets(newSecret);
      const overlapMs = (body.overlap_minutes ?? 0) * this.settings.minuteMs;
      const command = new RotateOutputSecret(change.context, call.id, shownOnce.secret, overlapMs);
      const outcome = await this.commands.execute(command);
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
