import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Plan } from '../../domain/owner/owner.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectOtherPlans } from '../owner/reject-other-plans.js';

/** Enables a webhook output, regardless of who disabled it; the owner's plan must include webhook outputs. */
export class EnableWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    /** Plans with webhook output, from the limits profile. */
    readonly outputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(EnableWebhookOutput)
export class EnableWebhookOutputHandler implements ICommandHandler<EnableWebhookOutput> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, outputId, outputPlans }: EnableWebhookOutput): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'webhook output' }));
    const { planWithoutOutput } = COMMAND_MESSAGES;
    const rejection = await rejectOtherPlans(this.aggregates, state.ownerId, outputPlans, planWithoutOutput);
    if (rejection) return rejection;
    const command = { type: 'EnableOutput', outputId } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
