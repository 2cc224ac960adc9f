import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import type { CommandOutcome } from '../command-result.js';
import { orRejection } from './reject-refused.js';

/**
 * Makes a rebuilt version live. Rejected with `no_candidate`, `candidate_deployed`, `other_program`, `views_in_use`, or
 * `not_level` while it is still being filled.
 */
export class PromoteCandidate extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(PromoteCandidate)
export class PromoteCandidateHandler implements ICommandHandler<PromoteCandidate> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ context, name }: PromoteCandidate): Promise<CommandOutcome> {
    const result = await orRejection(this.rebuilds.promote(name, context));
    return isRejection(result) ? result : { position: result };
  }
}
