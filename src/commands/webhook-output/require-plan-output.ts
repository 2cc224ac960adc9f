import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** The plan has no webhook output; `figures` holds its name. */
type PlanLacksOutput = Rejection<'plan_not_allowed'>;

/**
 * Returns a rejection if an owner's plan has no webhook output, else null (D-8). Reads the owner's stream, not a read
 * model.
 */
export const rejectPlanWithoutOutput = async (
  aggregates: AggregateStore,
  ownerId: string,
  outputPlans: readonly Plan[],
): Promise<PlanLacksOutput | null> => {
  const { state } = await aggregates.loadAggregate(owner, ownerId);
  if (state && outputPlans.includes(state.plan)) return null;
  const plan = state?.plan ?? null;
  const message = COMMAND_MESSAGES.planWithoutOutput({ plan: String(plan), plans: outputPlans.join(', ') });
  return reject('plan_not_allowed', message, { plan });
};
