import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { publication } from '../../domain/publication/publication.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { latestCompleted, type Completed } from '../command-result.js';
import { rejectUnreadable } from './reject-unreadable.js';
import { rejectForeign } from '../reject-foreign.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** A publication by the ids that its events carry. */
export interface PublicationIds {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}

/** Success of a cancellation, and the number of publications that will not be sent because of it. */
export type CancelledPublications = Completed & { readonly cancelled: number };

/**
 * Cancels those of the publications of a post that are queued: they are never sent. A publication that is being sent, or
 * has ended, stays as it is; if that is true of all, the command is rejected.
 */
export class CancelPublications extends Command<CancelledPublications | Rejection> {
  constructor(
    readonly context: CommandContext,
    readonly publications: readonly PublicationIds[],
  ) {
    super();
  }
}

/** Safe to repeat as a whole: each publication has a stream of its own, which applies the command once. */
@CommandHandler(CancelPublications)
export class CancelPublicationsHandler implements ICommandHandler<CancelPublications> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  /** @throws Unavailable some of the publications may be cancelled */
  async execute({ context, publications }: CancelPublications): Promise<CancelledPublications | Rejection> {
    const channelIds = new Set(publications.map(({ channelId }) => channelId));
    const foreign = await rejectForeign(this.aggregates, channel, [...channelIds], context);
    if (foreign) return foreign;
    // They are of one post.
    const postId = publications[0]?.postId;
    const inStory = postId === undefined ? context : await this.stories.joinStory(context, postId);
    const results = await Promise.all(
      publications.map((ids) => {
        const command = { type: 'CancelPublication', ...ids, at: context.at } as const;
        return rejectUnreadable(() => this.aggregates.execute(publication, ids.publicationId, command, inStory));
      }),
    );
    const cancelled = results.flatMap((result) =>
      isRejection(result) ? [] : [{ position: result.aggregate.position }],
    );
    if (cancelled.length > 0) return { ...latestCompleted(cancelled), cancelled: cancelled.length };
    const rejections = results.filter((result) => isRejection(result)) as Rejection[];
    return (
      // One that is being sent may be queued again: the caller can try later.
      rejections.find(({ rejection }) => rejection === 'publishing') ??
      rejections[0] ??
      reject('wrong_state', COMMAND_MESSAGES.nothingToCancel)
    );
  }
}
