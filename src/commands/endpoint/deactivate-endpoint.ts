import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** The owner switches an endpoint off (publish-api.md: Endpoint and pause states); requests are then answered 403 (D-8). */
export class DeactivateEndpoint extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
  ) {
    super();
  }
}

@CommandHandler(DeactivateEndpoint)
export class DeactivateEndpointHandler implements ICommandHandler<DeactivateEndpoint> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, endpointId }: DeactivateEndpoint): Promise<Outcome> {
    const command = { type: 'DisableEndpoint', endpointId, by: 'owner', reason: 'switched off by its owner' } as const;
    return done(await this.streams.run(endpoint, endpointId, command, execution));
  }
}
