import { endpoint, type EndpointCommand } from '../../domain/endpoint/endpoint.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/**
 * Replaces an endpoint's slug, at most once in 24 hours; the old one stops working at once (publish-api.md: Inbound
 * endpoint).
 */
export class RotateEndpointSlug extends AggregateCommand<EndpointCommand> {
  constructor(context: CommandContext, endpointId: string, slug: string) {
    super(context, endpoint, endpointId, { type: 'RotateSlug', endpointId, slug, at: context.at });
  }
}
