import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Plan } from '../../domain/owner/owner.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { iso } from '../../kernel/instant.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import type { CommandOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectOtherPlans } from '../owner/reject-other-plans.js';
import { ScheduleDelivery } from './schedule-delivery.js';

/**
 * Sends a test ping to a webhook output, even if the output is disabled, and regardless of the kinds of events it
 * receives. Rejected only if the output does not exist or the plan has no webhook outputs.
 */
export class PingWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    readonly deliveryId: string,
    /** Plans with webhook output, from the limits profile. */
    readonly outputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(PingWebhookOutput)
export class PingWebhookOutputHandler implements ICommandHandler<PingWebhookOutput> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly scheduleDelivery: ScheduleDelivery,
  ) {}

  async execute({ context, outputId, deliveryId, outputPlans }: PingWebhookOutput): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'webhook output' }));
    const { ownerId, projectId } = state;
    const { planWithoutOutput } = COMMAND_MESSAGES;
    const rejection = await rejectOtherPlans(this.aggregates, ownerId, outputPlans, planWithoutOutput);
    if (rejection) return rejection;
    const { at } = context;
    const body = JSON.stringify({ kind: 'test.ping', webhook_output_id: outputId, project_id: projectId, at: iso(at) });
    const delivery = { deliveryId, outputId, ownerId, kind: 'test.ping', body, at } as const;
    return this.scheduleDelivery.execute(context, delivery);
  }
}
