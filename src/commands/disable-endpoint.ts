import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../domain/endpoint/endpoint.decider.js';
import type { DisabledBy } from '../domain/endpoint/endpoint.events.js';
import { Streams } from '../event-store/streams.js';
import { type Clock, CLOCK } from '../kernel/clock.js';
import { execution } from './origin.js';

/** The gateway itself switches an endpoint off (D-8). Idempotent. */
export class DisableEndpoint extends Command<void> {
  constructor(
    readonly endpointId: string,
    readonly by: Exclude<DisabledBy, 'owner'>,
    readonly reason: string,
    readonly requestId: string,
  ) {
    super();
  }
}

@CommandHandler(DisableEndpoint)
export class DisableEndpointHandler implements ICommandHandler<DisableEndpoint> {
  constructor(
    private readonly streams: Streams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ endpointId, by, reason, requestId }: DisableEndpoint): Promise<void> {
    const origin = { actor: 'system:gate', requestId, causationId: requestId, correlationId: requestId };
    const command = { type: 'DisableEndpoint', endpointId, by, reason } as const;
    await this.streams.run(endpoint, endpointId, command, execution(origin, 'disable', this.clock.now()));
  }
}
