import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { derivedUuid } from '../../kernel/ids.js';
import { SecretVault } from '../../secrets/vault.js';
import { done, type Outcome } from '../command-result.js';

/** A new signing secret for an endpoint; the old one stays valid beside it for a while (D-40). */
export class RotateSigningSecret extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
    readonly signingSecret: string,
    /** How long the old one stays valid, ms; 0: not at all. */
    readonly overlapMs: number,
  ) {
    super();
  }
}

@CommandHandler(RotateSigningSecret)
export class RotateSigningSecretHandler implements ICommandHandler<RotateSigningSecret> {
  constructor(
    private readonly streams: Streams,
    private readonly vault: SecretVault,
  ) {}

  async execute({ execution, endpointId, signingSecret, overlapMs }: RotateSigningSecret): Promise<Outcome> {
    const id = derivedUuid(`${execution.commandId}/signing-secret`);
    const signingSecretId = await this.vault.put({ secret: signingSecret }, id);
    const previousUntil = execution.at + overlapMs;
    const command = { type: 'RotateSigningSecret', endpointId, signingSecretId, previousUntil } as const;
    return done(await this.streams.run(endpoint, endpointId, command, execution));
  }
}
