import type { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import type { OwnerPlanChanged } from '../../domain/owner/owner.events.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { Reaction } from '../engine/event-saga.js';

const NAME = 'withdraw-input';

/**
 * Switches off what a plan no longer allows (publish-api.md: Endpoint and pause states; D-8), for whoever changed the plan and died
 * before doing so. It goes by the plan as it is by then: to act on the past, or on an event that comes again, switches off
 * nothing that may be on.
 */
export const withdrawInput = (
  withdrawal: InputWithdrawal,
  progress: ProjectionProgress,
): Reaction<OwnerPlanChanged> => ({
  name: NAME,
  types: ['OwnerPlanChanged'],
  startsAt: 'beginning',

  async react({ id, position, requestId, correlationId, at, data: { ownerId } }) {
    // What was switched on before the plan changed has to be in the view.
    if (!(await progress.waitFor(['discovery'], position))) throw new Error('the view of the endpoints is behind');
    await withdrawal.from(ownerId, { requestId, causationId: id, correlationId, at });
  },
});
