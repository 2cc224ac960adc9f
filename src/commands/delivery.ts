import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { delivery } from '../domain/delivery/delivery.decider.js';
import type { BodyParts, DeliveryBodyPartStored, DeliveryScheduled } from '../domain/delivery/delivery.events.js';
import { webhookOutput } from '../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore, emptyAggregate } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { WrongExpectedRevision } from '../event-store/port.js';
import { iso } from '../kernel/clock.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject } from '../kernel/result.js';
import { bodyStreamName } from '../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { appendInParts, type CommandOutcome, latestCompleted, PART_BYTES, toOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';
import { PlanAllowances } from './plan-limits.js';

/** A delivery with its complete body. */
export type NewDelivery = Omit<DeliveryScheduled['data'], 'body' | 'parts'> & { readonly body: string };

/** Maximum size of a body in an event, in bytes; larger bodies are stored in parts first (D-42). */
const MAX_INLINE_BYTES = 65_536;

/** Schedules the delivery of an event. Idempotent: repeated calls with the same delivery id do nothing. */
@Injectable()
export class ScheduleDelivery {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @throws Unavailable */
  async execute(context: CommandContext, { body, ...data }: NewDelivery): Promise<CommandOutcome> {
    const { deliveryId } = data;
    const bytes = Buffer.from(body);
    const isInline = bytes.length <= MAX_INLINE_BYTES;
    if (!isInline) {
      const known = await this.aggregates.loadAggregate(delivery, deliveryId);
      if (known.state) return { position: known.position };
    }
    const parts = isInline
      ? null
      : await this.storeParts(deliveryId, bytes, { ...context, contentOwner: data.ownerId });
    const command = { type: 'ScheduleDelivery', ...data, body: isInline ? body : null, parts } as const;
    // A delivery is almost always new, so it is not read first; if it already exists, the append conflicts.
    return toOutcome(await this.aggregates.execute(delivery, deliveryId, command, context, emptyAggregate(delivery)));
  }

  /**
   * Stores a body in parts. Their ids derive from the body, so a retry after a crash appends the same events. A retry
   * with a changed body conflicts with the earlier parts, so the new body gets a separate stream.
   */
  private async storeParts(deliveryId: string, bytes: Buffer, context: CommandContext): Promise<BodyParts> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const commandId = `${context.commandId}/body ${PART_BYTES} ${sha256}`;
    const describe = (index: number, chunk: string): [DeliveryBodyPartStored, CommandContext] => [
      { type: 'DeliveryBodyPartStored', data: { deliveryId, index, chunk } },
      { ...context, commandId: `${commandId}/part ${index}` },
    ];
    const append = (stream: string) => appendInParts(this.aggregates, stream, bytes, describe);
    try {
      return { count: await append(bodyStreamName(deliveryId)), sha256 };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return { count: await append(bodyStreamName(deliveryId, sha256)), sha256 };
    }
  }
}

/**
 * Sends a test ping to a webhook output, even if the output is disabled, and regardless of the kinds of events it
 * receives. Rejected only if the output does not exist or the plan has no webhook outputs.
 */
@Injectable()
export class PingWebhookOutput {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly plans: PlanAllowances,
    private readonly scheduleDelivery: ScheduleDelivery,
  ) {}

  async execute(context: CommandContext, outputId: string, deliveryId: string): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'webhook output' }));
    const { ownerId, projectId } = state;
    const rejection = await this.plans.rejectWithoutOutput(ownerId);
    if (rejection) return rejection;
    const { at } = context;
    const body = JSON.stringify({ kind: 'test.ping', webhook_output_id: outputId, project_id: projectId, at: iso(at) });
    const delivery = { deliveryId, outputId, ownerId, kind: 'test.ping', body, at } as const;
    return this.scheduleDelivery.execute(context, delivery);
  }
}

/** Retries deliveries of one webhook output immediately, with their existing ids. */
@Injectable()
export class RetryDeliveries {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute(context: CommandContext, outputId: string, deliveryIds: readonly string[]): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (state && state.disabledBy !== null) return reject('output_disabled', COMMAND_MESSAGES.outputDisabled);
    const results = await Promise.all(
      deliveryIds.map(async (deliveryId) => {
        const command = { type: 'RequestRetry', deliveryId, at: context.at } as const;
        return toOutcome(await this.aggregates.execute(delivery, deliveryId, command, context));
      }),
    );
    const rejected = results.find(isRejection);
    return rejected ?? latestCompleted(results.flatMap((result) => (isRejection(result) ? [] : [result])));
  }
}
