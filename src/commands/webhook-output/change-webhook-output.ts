import { webhookOutput, type WebhookOutputCommand } from '../../domain/webhook-output/webhook-output.decider.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Changes a webhook output's URL or kinds; undefined fields are unchanged. */
export class ChangeWebhookOutput extends AggregateCommand<WebhookOutputCommand> {
  constructor(
    context: CommandContext,
    outputId: string,
    change: { readonly url?: string | undefined; readonly kinds?: readonly WebhookKind[] | undefined },
  ) {
    super(context, webhookOutput, outputId, { type: 'ChangeOutput', outputId, ...change });
  }
}
