import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';
import type { References } from '../../projections/discovery/references.queries.js';
import type { Completed } from '../command-result.js';
import { DISABLED_REASONS } from '../messages.js';

/**
 * Disables the webhook outputs of an owner whose plan has no webhook output. The command that changes the plan does so
 * at once; the saga `withdraw-input` repeats it, in case the process died before it finished.
 */
export class OutputWithdrawal {
  /** @param outputPlans plans with webhook output, from the limits profile */
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly references: References,
    private readonly outputPlans: readonly Plan[],
  ) {}

  /** Reads the plan from the owner's stream and the outputs from the read model `discovery`. @throws Unavailable */
  async disableOutputsOf(
    ownerId: string,
    origin: Omit<Origin, 'actor'> & { readonly at: Instant },
  ): Promise<readonly Completed[]> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    if (!state || this.outputPlans.includes(state.plan)) return [];
    const reason = DISABLED_REASONS.planWithoutOutput({ plan: state.plan });
    const { requestId, causationId, correlationId, clientAddress, at } = origin;
    const from = { actor: 'system:withdraw-input', requestId, causationId, correlationId, clientAddress, at };
    const { outputs } = await this.references.findOwned(ownerId);
    const each = outputs.map(async (outputId) => {
      const context = { ...from, commandId: `disable/${outputId}/plan/${causationId}` };
      const command = { type: 'DisableOutput', outputId, by: 'plan', reason } as const;
      return this.aggregates.execute(webhookOutput, outputId, command, context);
    });
    const decided = await Promise.all(each);
    return decided.flatMap((one) => (isRejection(one) ? [] : [{ position: one.aggregate.position }]));
  }
}
