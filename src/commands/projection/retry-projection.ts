import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { reject } from '../../kernel/result.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import type { CommandOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Makes a stopped projection retry the event that stopped it. Rejected with `not_stopped` if it has not stopped. */
export class RetryProjection extends Command<CommandOutcome> {
  constructor(readonly name: string) {
    super();
  }
}

@CommandHandler(RetryProjection)
export class RetryProjectionHandler implements ICommandHandler<RetryProjection> {
  constructor(private readonly statuses: ProjectionStatuses) {}

  async execute({ name }: RetryProjection): Promise<CommandOutcome> {
    const resumed = await this.statuses.resume(name);
    return resumed ? { position: -1n } : reject('not_stopped', COMMAND_MESSAGES.notStopped);
  }
}
