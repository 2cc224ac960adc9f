import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Streams } from '../../event-store/aggregate-store.js';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';
import type { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import { disablingId, withoutInput } from './disable-endpoint.js';
import type { Done } from '../command-result.js';

/**
 * Switches the endpoints of an owner off whose plan has no webhook input (D-8), whether or not anyone calls them. Who
 * changes a plan does so at once; the saga `withdraw-input` does so again, for the changes whose process died in between.
 */
export class InputWithdrawal {
  /** @param inputPlans plans with webhook input, as the limits profile has them */
  constructor(
    private readonly streams: Streams,
    private readonly endpoints: LiveEndpoints,
    private readonly inputPlans: readonly Plan[],
  ) {}

  /**
   * Judged by the plan as its owner's stream has it, and by the endpoints as the view `discovery` shows them. Each is
   * switched off once for each time that it was switched on, by whoever comes first, the gate included.
   * @throws Unavailable
   */
  async from(ownerId: string, origin: Omit<Origin, 'actor'> & { readonly at: Instant }): Promise<readonly Done[]> {
    const { state } = await this.streams.load(owner, ownerId);
    if (!state || this.inputPlans.includes(state.plan)) return [];
    const reason = withoutInput(state.plan);
    const each = (await this.endpoints.of(ownerId)).map(async ({ endpointId, epoch }) => {
      const { requestId, causationId, correlationId, at } = origin;
      const from = { actor: 'system:withdraw-input', requestId, causationId, correlationId };
      const execution = { ...from, commandId: disablingId(endpointId, 'plan', epoch), at };
      const command = { type: 'DisableEndpoint', endpointId, by: 'plan', reason } as const;
      return this.streams.run(endpoint, endpointId, command, execution);
    });
    const decided = await Promise.all(each);
    return decided.flatMap((one) => (isRejection(one) ? [] : [{ position: one.after.position }]));
  }
}
