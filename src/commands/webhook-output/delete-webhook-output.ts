import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Deletes a webhook output: nothing more is delivered to it. */
export class DeleteWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteWebhookOutput)
export class DeleteWebhookOutputHandler implements ICommandHandler<DeleteWebhookOutput> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, outputId }: DeleteWebhookOutput): Promise<CommandOutcome> {
    const command = { type: 'DeleteOutput', outputId } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
