import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Streams } from '../../event-store/aggregate-store.js';
import { reject, type Rejection } from '../../kernel/result.js';

/** The plan has no webhook input; `figures` name it. */
export type PlanLacksInput = Rejection<'plan_not_allowed'>;

/** A refusal where an owner's plan has no webhook input, else null (D-12, D-47). The owner's stream is asked, not a view. */
export const planLacksInput = async (
  streams: Streams,
  ownerId: string,
  inputPlans: readonly Plan[],
): Promise<PlanLacksInput | null> => {
  const { state } = await streams.load(owner, ownerId);
  if (state && inputPlans.includes(state.plan)) return null;
  const [plan, enough] = [state?.plan ?? null, inputPlans.join(', ')];
  const message = `The plan "${plan}" has no webhook input: it needs one of ${enough}; an endpoint of mode "test" needs none.`;
  return reject('plan_not_allowed', message, { plan });
};
