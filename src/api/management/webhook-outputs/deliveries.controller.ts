import { Controller, Get, Inject, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PingWebhookOutput, RetryDeliveries } from '../../../commands/delivery.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import {
  DeliveryBodies,
  type DeliveryWithBody,
  FindDelivery,
  FindFailedDeliveries,
  ListDeliveries,
  type ListedDelivery,
} from '../../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { buildListView, type ListView, toPage } from '../../transport/page.js';
import { ApiKeyGuard, getOwnerScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { EmptyBody, IdPipe } from '../common-fields.js';
import { HeavyReadTurn } from '../heavy-read-turn.js';
import { notFoundProblem } from '../http-problems.js';
import { type Call, OfResource, type ResourceCall, TheCall } from '../owned-resources.js';
import { PlanQuotas } from '../plan-quotas.js';
import {
  DeliveriesQuery,
  DeliveryView,
  type RetriedOutputView,
  RetryFailedBody,
  WebhookOutputView,
} from './webhook-output.dto.js';

const READ_MODELS = ['webhook-deliveries'];
/** Batch size of `retry-failed`, in deliveries. */
const BATCH_SIZE = 200;

/** Shows and resends webhook deliveries (D-30; management-api.md: Routes). */
@Controller('manage/v1')
@UseGuards(ApiKeyGuard)
export class DeliveriesController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly commands: CommandBus,
    private readonly listDeliveriesQuery: ListDeliveries,
    private readonly findFailedDeliveries: FindFailedDeliveries,
    private readonly findDelivery: FindDelivery,
    private readonly bodies: DeliveryBodies,
    private readonly changes: ChangePipeline,
    private readonly quotas: PlanQuotas,
  ) {}

  @UseInterceptors(HeavyReadTurn)
  @Get('webhook-outputs/:id/deliveries')
  @Documented({ summary: 'List the deliveries of a webhook output', query: DeliveriesQuery })
  async listDeliveries(
    @OfResource('webhook_output') { request, id }: ResourceCall<'webhook_output'>,
  ): Promise<ListView<DeliveryView>> {
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
  @Documented({ summary: 'Send a test ping', status: 201, codes: { 402: ['plan_not_allowed'] } })
  async test(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<DeliveryView> {
    const read = fieldsReader(EmptyBody);
    return this.changes.handlePost({ ...call, read, status: 201 }, async (_, change) => {
      const deliveryId = change.newId('dlv');
      const command = new PingWebhookOutput(change.context, call.id, deliveryId, this.quotas.outputPlans);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call.request, deliveryId) };
    });
  }

  @Post('webhook-outputs/:id/retry-failed')
  @Documented({ summary: 'Send failed deliveries again', body: RetryFailedBody, codes: { 409: ['output_disabled'] } })
  async retryFailed(@OfResource('webhook_output') call: ResourceCall<'webhook_output'>): Promise<RetriedOutputView> {
    return this.changes.handlePost({ ...call, read: fieldsReader(RetryFailedBody) }, async ({ since }, change) => {
      let retried = 0;
      let outcome = await this.commands.execute(new RetryDeliveries(change.context, call.id, []));
      for (let after = '-1'; !isRejection(outcome);) {
        const failed = await this.findFailedDeliveries.execute(call.id, Date.parse(since), after, BATCH_SIZE);
        if (failed.length === 0) break;
        const ids = failed.map(({ deliveryId }) => deliveryId);
        outcome = await this.commands.execute(new RetryDeliveries(change.context, call.id, ids));
        retried += ids.length;
        after = failed.at(-1)!.position;
      }
      const show = async () => ({ ...new WebhookOutputView(call.resource, this.clock.now()), retried });
      return { outcome, readModels: READ_MODELS, show };
    });
  }

  @UseInterceptors(HeavyReadTurn)
  @Get('deliveries/:id')
  @Documented({ summary: 'Show a delivery' })
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<DeliveryView> {
    return this.findView(request, id);
  }

  @Post('deliveries/:id/retry')
  @Documented({ summary: 'Send a delivery again', codes: { 409: ['output_disabled'] } })
  async retry(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<DeliveryView> {
    const { output_id: outputId } = await this.findRow(call.request, id);
    return this.changes.handlePost({ ...call, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const outcome = await this.commands.execute(new RetryDeliveries(change.context, outputId, [id]));
      return { outcome, readModels: READ_MODELS, show: () => this.findView(call.request, id) };
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

  private async findRow(request: FastifyRequest, id: string): Promise<DeliveryWithBody> {
    const row = await this.findDelivery.execute(id, getOwnerScope(request));
    if (!row) throw notFoundProblem('delivery');
    return row;
  }
}
