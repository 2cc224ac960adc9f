import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** A new slug for an endpoint, once in 24 hours; the old one stops working at once (publish-api.md: Inbound endpoint). */
export class RotateEndpointSlug extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
    readonly slug: string,
  ) {
    super();
  }
}

@CommandHandler(RotateEndpointSlug)
export class RotateEndpointSlugHandler implements ICommandHandler<RotateEndpointSlug> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, endpointId, slug }: RotateEndpointSlug): Promise<Outcome> {
    const command = { type: 'RotateSlug', endpointId, slug, at: execution.at } as const;
    return done(await this.streams.run(endpoint, endpointId, command, execution));
  }
}
