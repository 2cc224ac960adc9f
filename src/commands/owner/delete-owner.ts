import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';

/** Deletes an owner with all its resources. Its API key stops working at once. */
export class DeleteOwner extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly ownerId: string,
  ) {
    super();
  }
}

/** Appends the deletion first. Its consequences follow here or, after a crash, in the saga `complete-deletions`. */
@CommandHandler(DeleteOwner)
export class DeleteOwnerHandler implements ICommandHandler<DeleteOwner> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
  ) {}

  async execute({ context, ownerId }: DeleteOwner): Promise<CommandOutcome> {
    const command = { type: 'DeleteOwner', ownerId } as const;
    const deleted = toOutcome(await this.aggregates.execute(owner, ownerId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeOwner(ownerId, position, context),
    );
  }
}
