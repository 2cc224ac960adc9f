import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { OutputDisabledBy } from '../../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Disables a webhook output: nothing is delivered to it. `reason` is human-readable. */
export class DisableWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    readonly by: OutputDisabledBy,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(DisableWebhookOutput)
export class DisableWebhookOutputHandler implements ICommandHandler<DisableWebhookOutput> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, outputId, by, reason }: DisableWebhookOutput): Promise<CommandOutcome> {
    const command = { type: 'DisableOutput', outputId, by, reason } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
