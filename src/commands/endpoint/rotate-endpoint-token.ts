import { endpoint, type EndpointCommand } from '../../domain/endpoint/endpoint.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Replaces an endpoint's token; the old one stops working at once (publish-api.md: Authentication, 3). */
export class RotateEndpointToken extends AggregateCommand<EndpointCommand> {
  /** @param tokenHash SHA-256, hex */
  constructor(context: CommandContext, endpointId: string, tokenHash: string) {
    super(context, endpoint, endpointId, { type: 'RotateToken', endpointId, tokenHash });
  }
}
