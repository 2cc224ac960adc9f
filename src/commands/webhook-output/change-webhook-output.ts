import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Changes a webhook output's URL or kinds; undefined fields are unchanged. */
export class ChangeWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    readonly change: { readonly url?: string | undefined; readonly kinds?: readonly WebhookKind[] | undefined },
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhookOutput)
export class ChangeWebhookOutputHandler implements ICommandHandler<ChangeWebhookOutput> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, outputId, change }: ChangeWebhookOutput): Promise<CommandOutcome> {
    const command = { type: 'ChangeOutput', outputId, ...change } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
