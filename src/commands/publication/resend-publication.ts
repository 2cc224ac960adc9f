import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { publication } from '../../domain/publication/publication.decider.js';
import type { PublicationIds } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { reject } from '../../kernel/result.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectForeign } from '../reject-foreign.js';
import { rejectUnreadable } from './reject-unreadable.js';

/** At the owner's request, requeues a publication that is in doubt or has failed (D-25). */
export class ResendPublication extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly publication: PublicationIds,
  ) {
    super();
  }
}

@CommandHandler(ResendPublication)
export class ResendPublicationHandler implements ICommandHandler<ResendPublication> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  async execute({ context, publication: ids }: ResendPublication): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    const { state } = await this.aggregates.loadAggregate(channel, ids.channelId);
    if (state?.deleted) return reject('channel_deleted', COMMAND_MESSAGES.channelDeleted);
    const command = { type: 'ResendPublication', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}
