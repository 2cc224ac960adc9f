import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { projection } from '../../domain/projection/projection.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection, reject } from '../../kernel/result.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/**
 * Skips the event that stopped a projection, in every version and in all later rebuilds. Rejected with `not_stopped` if
 * it has not stopped.
 */
export class SkipEvent extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(SkipEvent)
export class SkipEventHandler implements ICommandHandler<SkipEvent> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly statuses: ProjectionStatuses,
  ) {}

  /** The appended event is the decision: after a crash, the versions stay stopped until the command is repeated. */
  async execute({ context, name, reason }: SkipEvent): Promise<CommandOutcome> {
    const failure = await this.statuses.findFailure(name);
    if (!failure) return reject('not_stopped', COMMAND_MESSAGES.notStopped);
    const { eventId, position, type: eventType, message: error } = failure;
    const skip = { type: 'SkipEvent', projection: name, eventId, eventType, position, error, reason } as const;
    const result = await this.aggregates.execute(projection, name, skip, context);
    if (!isRejection(result)) await this.statuses.resume(name);
    return toOutcome(result);
  }
}
