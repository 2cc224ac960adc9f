import { endpoint, type EndpointCommand } from '../../domain/endpoint/endpoint.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';
import { DISABLED_REASONS } from '../messages.js';

/** Disables an endpoint at its owner's request; requests then get a 403 (D-8). */
export class DisableEndpointByOwner extends AggregateCommand<EndpointCommand> {
  constructor(context: CommandContext, endpointId: string) {
    const reason = DISABLED_REASONS.byOwner;
    super(context, endpoint, endpointId, { type: 'DisableEndpoint', endpointId, by: 'owner', reason });
  }
}
