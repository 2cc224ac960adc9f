import { owner } from '../domain/owner/owner.decider.js';
import type { Plan } from '../domain/owner/owner.events.js';
import type { AggregateStore } from '../event-store/aggregate-store.js';
import { reject, type Rejection } from '../kernel/result.js';

/**
 * Returns null if an owner has one of these plans, else a rejection (D-8, D-12, D-47); `figures` holds the owner's
 * plan. Reads the owner's stream, not a read model.
 */
export const rejectOtherPlans = async (
  aggregates: AggregateStore,
  ownerId: string,
  plans: readonly Plan[],
  describe: (values: { readonly plan: string; readonly plans: string }) => string,
): Promise<Rejection<'plan_not_allowed'> | null> => {
  const { state } = await aggregates.loadAggregate(owner, ownerId);
  if (state && plans.includes(state.plan)) return null;
  const plan = state?.plan ?? null;
  return reject('plan_not_allowed', describe({ plan: String(plan), plans: plans.join(', ') }), { plan });
};
