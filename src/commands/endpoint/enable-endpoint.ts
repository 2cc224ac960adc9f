import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectOtherPlans } from '../owner/reject-other-plans.js';

/** Enables an endpoint, regardless of who disabled it; a live endpoint needs a plan with webhook input (D-47). */
export class EnableEndpoint extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    /** Plans with webhook input, from the limits profile. */
    readonly inputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(EnableEndpoint)
export class EnableEndpointHandler implements ICommandHandler<EnableEndpoint> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, endpointId, inputPlans }: EnableEndpoint): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(endpoint, endpointId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
    const { mode, ownerId } = state;
    const { planWithoutInput } = COMMAND_MESSAGES;
    const rejection =
      mode === 'live' ? await rejectOtherPlans(this.aggregates, ownerId, inputPlans, planWithoutInput) : null;
    if (rejection) return rejection;
    const command = { type: 'EnableEndpoint', endpointId } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
