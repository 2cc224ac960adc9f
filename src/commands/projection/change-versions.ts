import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import type { CommandOutcome } from '../command-result.js';
import { orRejection } from './reject-refused.js';

/**
 * Changes a projection's versions. `promote` makes a rebuilt version live; `discard` discards the version that is being
 * built alongside the live one, and ends its job; `rollBack` makes the previous version live again. Rejected with
 * `other_program`, `views_in_use`, `no_candidate`, `candidate_deployed` if no job builds the candidate, `no_previous`,
 * or `not_level` if the version is still being filled or no process is filling it.
 */
export class ChangeVersions extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly change: 'promote' | 'discard' | 'rollBack',
  ) {
    super();
  }
}

@CommandHandler(ChangeVersions)
export class ChangeVersionsHandler implements ICommandHandler<ChangeVersions> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ context, name, change }: ChangeVersions): Promise<CommandOutcome> {
    const result = await orRejection(this.rebuilds[change](name, context));
    return isRejection(result) ? result : { position: result };
  }
}
