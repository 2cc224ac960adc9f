import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Replaces an endpoint's token; the old one stops working at once (publish-api.md: Authentication, 3). */
export class RotateEndpointToken extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    /** SHA-256, hex. */
    readonly tokenHash: string,
  ) {
    super();
  }
}

@CommandHandler(RotateEndpointToken)
export class RotateEndpointTokenHandler implements ICommandHandler<RotateEndpointToken> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, endpointId, tokenHash }: RotateEndpointToken): Promise<CommandOutcome> {
    const command = { type: 'RotateToken', endpointId, tokenHash } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
