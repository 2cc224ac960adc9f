import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Gives an owner extra posts beyond the plan's monthly quota (D-18). */
export class AddPostPack extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly ownerId: string,
    /** At least 1. */
    readonly posts: number,
  ) {
    super();
  }
}

@CommandHandler(AddPostPack)
export class AddPostPackHandler implements ICommandHandler<AddPostPack> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, ownerId, posts }: AddPostPack): Promise<CommandOutcome> {
    return toOutcome(await this.aggregates.execute(owner, ownerId, { type: 'AddPostPack', ownerId, posts }, context));
  }
}
