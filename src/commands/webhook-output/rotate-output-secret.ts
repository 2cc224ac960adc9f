import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { storeSigningSecret } from '../store-signing-secret.js';

/**
 * Replaces a webhook output's signing secret; deliveries are also signed with the old one for an overlap period (D-40).
 */
export class RotateOutputSecret extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    readonly signingSecret: string,
    /** How long deliveries are also signed with the old secret, in ms; 0 if they are not. */
    readonly overlapMs: number,
  ) {
    super();
  }
}

@CommandHandler(RotateOutputSecret)
export class RotateOutputSecretHandler implements ICommandHandler<RotateOutputSecret> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  async execute({ context, outputId, signingSecret, overlapMs }: RotateOutputSecret): Promise<CommandOutcome> {
    const signingSecretId = await storeSigningSecret(this.vault, webhookOutput, outputId, signingSecret, context);
    const previousUntil = context.at + overlapMs;
    const command = { type: 'RotateOutputSecret', outputId, signingSecretId, previousUntil } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
