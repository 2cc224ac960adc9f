import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import type { CommandOutcome } from '../command-result.js';
import { orRejection } from './reject-refused.js';

/**
 * Makes the previous version live again. Rejected with `no_previous`, `other_program`, `views_in_use`, or `not_level`
 * if no process is filling it.
 */
export class RollBackProjection extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RollBackProjection)
export class RollBackProjectionHandler implements ICommandHandler<RollBackProjection> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ context, name }: RollBackProjection): Promise<CommandOutcome> {
    const result = await orRejection(this.rebuilds.rollBack(name, context));
    return isRejection(result) ? result : { position: result };
  }
}
