import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import type { References } from '../../projections/discovery/references.queries.js';
import { type Completed, listCompleted } from '../command-result.js';
import { disableCommandId } from '../endpoint/disable-endpoint.js';
import { DISABLED_REASONS } from '../messages.js';

const ACTOR = 'system:withdraw-input';

type WithdrawalOrigin = Omit<Origin, 'actor'> & { readonly at: Instant };

/**
 * Disables the live endpoints and the webhook outputs that an owner's plan does not include (D-8), even if the
 * endpoints get no requests. The command that changes the plan does so at once; the saga `withdraw-input` repeats it,
 * in case the process died before it finished.
 */
export class PlanWithdrawal {
  /**
   * @param inputPlans plans with webhook input, from the limits profile
   * @param outputPlans plans with webhook output, from the limits profile
   */
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly endpoints: LiveEndpoints,
    private readonly references: References,
    private readonly inputPlans: readonly Plan[],
    private readonly outputPlans: readonly Plan[],
  ) {}

  /**
   * Reads the plan from the owner's stream, and the endpoints and outputs from the read model `discovery`.
   * @throws Unavailable
   */
  async withdraw(ownerId: string, origin: WithdrawalOrigin): Promise<readonly Completed[]> {
    return [...(await this.disableEndpoints(ownerId, origin)), ...(await this.disableOutputs(ownerId, origin))];
  }

  /**
   * Disables each endpoint at most once after it was last enabled, no matter whether this method or the gate gets there
   * first.
   */
  private async disableEndpoints(ownerId: string, origin: WithdrawalOrigin): Promise<Completed[]> {
    const plan = await this.findPlanOutside(this.inputPlans, ownerId);
    if (plan === null) return [];
    const reason = DISABLED_REASONS.planWithoutInput({ plan });
    const enabled = await this.endpoints.findEnabled(ownerId);
    const decided = enabled.map(({ endpointId, epoch }) => {
      const context = { ...origin, actor: ACTOR, commandId: disableCommandId(endpointId, 'plan', epoch) };
      const command = { type: 'DisableEndpoint', endpointId, by: 'plan', reason } as const;
      return this.aggregates.execute(endpoint, endpointId, command, context);
    });
    return listCompleted(await Promise.all(decided));
  }

  private async disableOutputs(ownerId: string, origin: WithdrawalOrigin): Promise<Completed[]> {
    const plan = await this.findPlanOutside(this.outputPlans, ownerId);
    if (plan === null) return [];
    const reason = DISABLED_REASONS.planWithoutOutput({ plan });
    const { outputs } = await this.references.findOwned(ownerId);
    const decided = outputs.map((outputId) => {
      const context = { ...origin, actor: ACTOR, commandId: `disable/${outputId}/plan/${origin.causationId}` };
      const command = { type: 'DisableOutput', outputId, by: 'plan', reason } as const;
      return this.aggregates.execute(webhookOutput, outputId, command, context);
    });
    return listCompleted(await Promise.all(decided));
  }

  /** Returns the owner's plan; null if it is among `plans`, or if there is no such owner. */
  private async findPlanOutside(plans: readonly Plan[], ownerId: string): Promise<Plan | null> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    return state && !plans.includes(state.plan) ? state.plan : null;
  }
}
