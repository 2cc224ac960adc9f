import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { storeSigningSecret } from '../store-signing-secret.js';

/** Replaces an endpoint's signing secret; the old one stays valid for an overlap period (D-40). */
export class RotateSigningSecret extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly signingSecret: string,
    /** How long the old secret stays valid, in ms; 0 if it expires at once. */
    readonly overlapMs: number,
  ) {
    super();
  }
}

@CommandHandler(RotateSigningSecret)
export class RotateSigningSecretHandler implements ICommandHandler<RotateSigningSecret> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  async execute({ context, endpointId, signingSecret, overlapMs }: RotateSigningSecret): Promise<CommandOutcome> {
    const signingSecretId = await storeSigningSecret(this.vault, endpoint, endpointId, signingSecret, context);
    const previousUntil = context.at + overlapMs;
    const command = { type: 'RotateSigningSecret', endpointId, signingSecretId, previousUntil } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
