import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { reject } from '../../kernel/result.js';
import { done, type Outcome } from '../command-result.js';
import { planLacksInput } from './plan-input.js';

/** Switches an endpoint on again, whoever switched it off; a live one needs a plan with webhook input (D-47). */
export class EnableEndpoint extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
    /** Plans with webhook input, as the limits profile has them. */
    readonly inputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(EnableEndpoint)
export class EnableEndpointHandler implements ICommandHandler<EnableEndpoint> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, endpointId, inputPlans }: EnableEndpoint): Promise<Outcome> {
    const { state } = await this.streams.load(endpoint, endpointId);
    if (!state) return reject('not_found', 'There is no such endpoint.');
    const refused = state.mode === 'live' ? await planLacksInput(this.streams, state.ownerId, inputPlans) : null;
    if (refused) return refused;
    return done(await this.streams.run(endpoint, endpointId, { type: 'EnableEndpoint', endpointId }, execution));
  }
}
