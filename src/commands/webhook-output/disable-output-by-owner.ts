import { webhookOutput, type WebhookOutputCommand } from '../../domain/webhook-output/webhook-output.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';
import { DISABLED_REASONS } from '../messages.js';

/** Disables a webhook output at its owner's request: nothing is delivered to it. */
export class DisableOutputByOwner extends AggregateCommand<WebhookOutputCommand> {
  constructor(context: CommandContext, outputId: string) {
    const reason = DISABLED_REASONS.byOwner;
    super(context, webhookOutput, outputId, { type: 'DisableOutput', outputId, by: 'owner', reason });
  }
}
