import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { publication } from '../../domain/publication/publication.decider.js';
import type { PublicationIds } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { rejectForeign } from '../reject-foreign.js';
import { rejectUnreadable } from './reject-unreadable.js';

/** At the owner's request, records that a duplicate has been dealt with: it was deleted, or it may stay (D-84). */
export class DismissDuplicate extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly publication: PublicationIds,
  ) {
    super();
  }
}

@CommandHandler(DismissDuplicate)
export class DismissDuplicateHandler implements ICommandHandler<DismissDuplicate> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  async execute({ context, publication: ids }: DismissDuplicate): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    const command = { type: 'DismissDuplicate', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}
