import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import type { CommandOutcome } from '../command-result.js';
import { orRejection } from './reject-refused.js';

/**
 * Discards the version that is being built alongside the live one, and ends its job. Rejected with `no_candidate`, or
 * `candidate_deployed` if no job builds it.
 */
export class DiscardCandidate extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(DiscardCandidate)
export class DiscardCandidateHandler implements ICommandHandler<DiscardCandidate> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ context, name }: DiscardCandidate): Promise<CommandOutcome> {
    const result = await orRejection(this.rebuilds.discard(name, context));
    return isRejection(result) ? result : { position: result };
  }
}
