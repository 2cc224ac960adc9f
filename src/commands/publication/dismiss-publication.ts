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

/** At the owner's request, closes a publication that is in doubt or has failed, without sending it again (D-25). */
export class DismissPublication extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly publication: PublicationIds,
  ) {
    super();
  }
}

@CommandHandler(DismissPublication)
export class DismissPublicationHandler implements ICommandHandler<DismissPublication> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  async execute({ context, publication: ids }: DismissPublication): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    const command = { type: 'DismissPublication', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}
