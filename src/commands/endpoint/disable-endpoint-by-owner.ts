import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { DISABLED_REASONS } from '../messages.js';

/**
 * Disables an endpoint at its owner's request (publish-api.md: Endpoint and pause states); requests then get a 403
 * (D-8).
 */
export class DisableEndpointByOwner extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
  ) {
    super();
  }
}

@CommandHandler(DisableEndpointByOwner)
export class DisableEndpointByOwnerHandler implements ICommandHandler<DisableEndpointByOwner> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, endpointId }: DisableEndpointByOwner): Promise<CommandOutcome> {
    const command = { type: 'DisableEndpoint', endpointId, by: 'owner', reason: DISABLED_REASONS.byOwner } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
