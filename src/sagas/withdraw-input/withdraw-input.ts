import { PlanWithdrawal } from '../../commands/owner.js';
import type { OwnerPlanChanged } from '../../domain/owner/owner.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { FollowsLog } from '../engine/event-saga.js';

/**
 * Disables endpoints and webhook outputs that a changed plan no longer allows (publish-api.md: Endpoint and pause
 * states; D-8), if the process that changed the plan died before doing so. The current plan decides, so an old or
 * repeated event disables nothing that is still allowed.
 */
@FollowsLog<OwnerPlanChanged>({
  name: 'withdraw-input',
  types: ['OwnerPlanChanged'],
  startsAt: 'beginning',
  lanes: 'owner',
})
export class WithdrawInput {
  constructor(
    private readonly withdrawal: PlanWithdrawal,
    private readonly progress: ProjectionProgress,
  ) {}

  async react({ id, position, requestId, correlationId, at, data }: RecordedEventOf<OwnerPlanChanged>): Promise<void> {
    // The read model must contain all endpoints and outputs that were enabled before the plan changed.
    await this.progress.requireUpTo('discovery', position);
    const origin = { requestId, causationId: id, correlationId, clientAddress: null, at };
    await this.withdrawal.withdraw(data.ownerId, origin);
  }
}
