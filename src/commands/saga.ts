import { Injectable } from '@nestjs/common';
import { saga } from '../domain/saga/saga.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { isRejection, reject } from '../kernel/result.js';
import { SagaStatuses } from '../sagas/engine/saga-status.queries.js';
import { type CommandOutcome, toOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';

/**
 * Skips the event that a saga cannot handle. Rejected with `not_stopped` if the saga is not failing, or is failing at
 * an event other than the one at `position`, so repeating a call with the same position never
 * skips the next event.
 */
@Injectable()
export class SkipSagaEvent {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly statuses: SagaStatuses,
  ) {}

  /**
   * The appended event is the decision: after a crash, the saga reads it on its next attempt.
   * @param position position of the event; null for the event that stopped the saga
   */
  async execute(
    context: CommandContext,
    name: string,
    position: string | null,
    reason: string,
  ): Promise<CommandOutcome> {
    const failure = await this.statuses.findFailure(name);
    if (!failure) return reject('not_stopped', COMMAND_MESSAGES.sagaNotStopped);
    if (position !== null && failure.position !== position)
      return reject('not_stopped', COMMAND_MESSAGES.sagaStoppedElsewhere({ position, at: failure.position }));
    const { eventId, type: eventType, message: error, position: at } = failure;
    const skip = { type: 'SkipEvent', saga: name, eventId, eventType, position: at, error, reason } as const;
    const result = await this.aggregates.execute(saga, name, skip, context);
    if (!isRejection(result)) await this.statuses.resume(name, eventId);
    return toOutcome(result);
  }
}
