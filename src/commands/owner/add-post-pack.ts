import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** Posts beyond the plan's month (D-18). */
export class AddPostPack extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly ownerId: string,
    /** At least 1. */
    readonly posts: number,
  ) {
    super();
  }
}

@CommandHandler(AddPostPack)
export class AddPostPackHandler implements ICommandHandler<AddPostPack> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, ownerId, posts }: AddPostPack): Promise<Outcome> {
    return done(await this.streams.run(owner, ownerId, { type: 'AddPostPack', ownerId, posts }, execution));
  }
}
