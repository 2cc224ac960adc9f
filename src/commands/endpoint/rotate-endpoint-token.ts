import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** A new token for an endpoint; the old one is dead at once (publish-api.md: Authentication, 3). */
export class RotateEndpointToken extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
    /** SHA-256, hex. */
    readonly tokenHash: string,
  ) {
    super();
  }
}

@CommandHandler(RotateEndpointToken)
export class RotateEndpointTokenHandler implements ICommandHandler<RotateEndpointToken> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, endpointId, tokenHash }: RotateEndpointToken): Promise<Outcome> {
    const command = { type: 'RotateToken', endpointId, tokenHash } as const;
    return done(await this.streams.run(endpoint, endpointId, command, execution));
  }
}
