import type { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import type { OutputWithdrawal } from '../../commands/webhook-output/output-withdrawal.js';
import type { OwnerPlanChanged } from '../../domain/owner/owner.events.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { Reaction } from '../engine/event-saga.js';

const NAME = 'withdraw-input';

/**
 * Disables endpoints and webhook outputs that a changed plan no longer allows (publish-api.md: Endpoint and pause states; D-8), if the process
 * that changed the plan died before it did so. The present plan decides, so an old or repeated event disables no endpoint
 * that is allowed.
 */
export const withdrawInput = (
  withdrawal: InputWithdrawal,
  outputs: OutputWithdrawal,
  progress: ProjectionProgress,
): Reaction<OwnerPlanChanged> => ({
  name: NAME,
  types: ['OwnerPlanChanged'],
  startsAt: 'beginning',

  async react({ id, position, requestId, correlationId, at, data: { ownerId } }) {
    // The read model must contain all endpoints and outputs that were enabled before the plan changed.
    await progress.requireUpTo('discovery', position);
    const origin = { requestId, causationId: id, correlationId, clientAddress: null, at };
    await withdrawal.disableEndpointsOf(ownerId, origin);
    await outputs.disableOutputsOf(ownerId, origin);
  },
});
