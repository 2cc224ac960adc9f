import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { publication } from '../../domain/publication/publication.decider.js';
import type { PublicationIds } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { PostPlaces } from '../../projections/posts/post-place.queries.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { inSlices } from '../../runtime/in-slices.js';
import { type Completed, latestCompleted, listCompleted } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { PlannedPosts } from '../post/planned-posts.js';
import { rejectForeign } from '../reject-foreign.js';
import { rejectUnreadable } from './reject-unreadable.js';

/** A successful cancellation, and the number of publications that it prevents from being sent. */
export type CancelledPublications = Completed & { readonly cancelled: number };

/**
 * Cancels a post's planned or queued publications, so that they are never sent. A publication that is being sent or has
 * finished is left unchanged; if this applies to all of them, the command is rejected.
 */
export class CancelPublications extends Command<CancelledPublications | Rejection> {
  constructor(
    readonly context: CommandContext,
    readonly publications: readonly PublicationIds[],
  ) {
    super();
  }
}

/** Number of publications cancelled at a time; a post may have thousands. */
const AT_ONCE = 200;

/** Safe to repeat as a whole: each publication has its own stream, which applies the command once. */
@CommandHandler(CancelPublications)
export class CancelPublicationsHandler implements ICommandHandler<CancelPublications> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
    private readonly places: PostPlaces,
    private readonly planned: PlannedPosts,
  ) {}

  /** @throws Unavailable: some of the publications may already be cancelled */
  async execute({ context, publications }: CancelPublications): Promise<CancelledPublications | Rejection> {
    const channelIds = new Set(publications.map(({ channelId }) => channelId));
    const foreign = await rejectForeign(this.aggregates, channel, [...channelIds], context);
    if (foreign) return foreign;
    // They all belong to one post.
    const postId = publications[0]?.postId;
    const inStory = postId === undefined ? context : await this.stories.joinStory(context, postId);
    const whilePlanned = postId === undefined ? null : await this.cancelPlanned(postId, publications, inStory);
    if (whilePlanned) return whilePlanned;
    const results = await inSlices(publications, AT_ONCE, (ids) => {
      const command = { type: 'CancelPublication', ...ids, at: context.at } as const;
      return rejectUnreadable(() => this.aggregates.execute(publication, ids.publicationId, command, inStory));
    });
    const cancelled = listCompleted(results);
    if (cancelled.length > 0) return { ...latestCompleted(cancelled), cancelled: cancelled.length };
    const rejections = results.filter((result) => isRejection(result)) as Rejection[];
    return (
      // A publication that is being sent may return to the queue: the caller can try later.
      rejections.find(({ rejection }) => rejection === 'publishing') ??
      rejections[0] ??
      reject('wrong_state', COMMAND_MESSAGES.nothingToCancel)
    );
  }

  /**
   * Cancels publications of a planned post. Returns null if the post has been released, because each publication then
   * has its own stream.
   */
  private async cancelPlanned(
    postId: string,
    publications: readonly PublicationIds[],
    context: CommandContext,
  ): Promise<CancelledPublications | Rejection | null> {
    const place = await this.places.find(postId);
    if (!place?.was_planned) return null;
    const publicationIds = publications.map(({ publicationId }) => publicationId);
    const command = { type: 'CancelPlanned', at: context.at, publicationIds, ifRevision: null } as const;
    const result = await this.planned.execute({ ...place, postId }, command, context);
    if (!result || (isRejection(result) && result.rejection === 'already_released')) return null;
    if (isRejection(result)) return result;
    const [event] = result.events;
    if (event?.type !== 'PlannedPublicationsCancelled') return reject('wrong_state', COMMAND_MESSAGES.nothingPlanned);
    return { position: result.position, cancelled: event.data.publicationIds.length };
  }
}
