import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';
import type { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import type { Completed } from '../command-result.js';
import { disableCommandId, planWithoutInputReason } from './disable-endpoint.js';

/**
 * Disables the live endpoints of an owner whose plan has no webhook input (D-8), even if they get no requests. The
 * command that changes the plan does so at once; the saga `withdraw-input` repeats it, in case the process died before
 * it finished.
 */
export class InputWithdrawal {
  /** @param inputPlans plans with webhook input, from the limits profile */
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: LiveEndpoints,
    private readonly inputPlans: readonly Plan[],
  ) {}

  /**
   * Reads the plan from the owner's stream and the endpoints from the read model `discovery`. Each endpoint is disabled
   * at most once after it was last enabled, by whichever caller is first, including the gate.
   * @throws Unavailable
   */
  async disableEndpointsOf(
    ownerId: string,
    origin: Omit<Origin, 'actor'> & { readonly at: Instant },
  ): Promise<readonly Completed[]> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    if (!state || this.inputPlans.includes(state.plan)) return [];
    const reason = planWithoutInputReason(state.plan);
    const each = (await this.endpoints.findEnabled(ownerId)).map(async ({ endpointId, epoch }) => {
      const { requestId, causationId, correlationId, clientAddress, at } = origin;
      const from = { actor: 'system:withdraw-input', requestId, causationId, correlationId, clientAddress };
      const context = { ...from, commandId: disableCommandId(endpointId, 'plan', epoch), at };
      const command = { type: 'DisableEndpoint', endpointId, by: 'plan', reason } as const;
      return this.aggregates.execute(endpoint, endpointId, command, context);
    });
    const decided = await Promise.all(each);
    return decided.flatMap((one) => (isRejection(one) ? [] : [{ position: one.aggregate.position }]));
  }
}
