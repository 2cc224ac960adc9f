import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { rejectPlanWithoutInput } from './require-plan-input.js';

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
    const rejection =
      state.mode === 'live' ? await rejectPlanWithoutInput(this.aggregates, state.ownerId, inputPlans) : null;
    if (rejection) return rejection;
    return toOutcome(
      await this.aggregates.execute(endpoint, endpointId, { type: 'EnableEndpoint', endpointId }, context),
    );
  }
}
