import { owner, type OwnerCommand } from '../../domain/owner/owner.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Gives an owner extra posts beyond the plan's monthly quota (D-18). */
export class AddPostPack extends AggregateCommand<OwnerCommand> {
  /** @param posts at least 1 */
  constructor(context: CommandContext, ownerId: string, posts: number) {
    super(context, owner, ownerId, { type: 'AddPostPack', ownerId, posts });
  }
}
