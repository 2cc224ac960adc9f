import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** The plan has no webhook input; `figures` holds its name. */
export type PlanLacksInput = Rejection<'plan_not_allowed'>;

/**
 * Returns a rejection if an owner's plan has no webhook input, else null (D-12, D-47). Reads the owner's stream, not a
 * read model.
 */
export const rejectPlanWithoutInput = async (
  aggregates: AggregateStore,
  ownerId: string,
  inputPlans: readonly Plan[],
): Promise<PlanLacksInput | null> => {
  const { state } = await aggregates.loadAggregate(owner, ownerId);
  if (state && inputPlans.includes(state.plan)) return null;
  const [plan, sufficient] = [state?.plan ?? null, inputPlans.join(', ')];
  const message = COMMAND_MESSAGES.planWithoutInput({ plan: String(plan), plans: sufficient });
  return reject('plan_not_allowed', message, { plan });
};
