import { webhookOutput, type WebhookOutputCommand } from '../../domain/webhook-output/webhook-output.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Deletes a webhook output: nothing more is delivered to it. */
export class DeleteWebhookOutput extends AggregateCommand<WebhookOutputCommand> {
  constructor(context: CommandContext, outputId: string) {
    super(context, webhookOutput, outputId, { type: 'DeleteOutput', outputId });
  }
}
