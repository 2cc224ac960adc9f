import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/**
 * Replaces an endpoint's slug, at most once in 24 hours; the old one stops working at once (publish-api.md: Inbound
 * endpoint).
 */
export class RotateEndpointSlug extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly slug: string,
  ) {
    super();
  }
}

@CommandHandler(RotateEndpointSlug)
export class RotateEndpointSlugHandler implements ICommandHandler<RotateEndpointSlug> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, endpointId, slug }: RotateEndpointSlug): Promise<CommandOutcome> {
    const command = { type: 'RotateSlug', endpointId, slug, at: context.at } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
