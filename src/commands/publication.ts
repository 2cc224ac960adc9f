import { Injectable } from '@nestjs/common';
import { channel } from '../domain/channel/channel.decider.js';
import {
  publication,
  type PublicationCommand,
  type PublicationState,
} from '../domain/publication/publication.decider.js';
import type { PublicationEvent, PublicationIds } from '../domain/publication/publication.events.js';
import { AggregateStore, type DecisionResult, type LoadedAggregate } from '../event-store/aggregate-store.js';
import { type CommandContext, isDamaged } from '../event-store/codec.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { PostPlaces, PostStories } from '../projections/posts/post-details.queries.js';
import { inSlices } from '../runtime/cooperative-work.js';
import {
  type CommandOutcome,
  type Completed,
  latestCompleted,
  listCompleted,
  rejectForeign,
  toOutcome,
} from './command.js';
import { COMMAND_MESSAGES } from './messages.js';
import { PlannedPosts } from './post/planned-posts.js';

/** Executes a command on a publication, and rejects it with `wrong_state` if the publication's events are damaged. */
export const rejectUnreadable = async <T>(execute: () => Promise<T>): Promise<T | Rejection<'wrong_state'>> => {
  try {
    return await execute();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return reject('wrong_state', COMMAND_MESSAGES.historyDamaged);
  }
};

/** A successful cancellation, and the number of publications that it prevents from being sent. */
export type CancelledPublications = Completed & { readonly cancelled: number };

/** Number of publications cancelled at a time; a post may have thousands. */
const AT_ONCE = 200;

/**
 * Cancels a post's planned or queued publications, so that they are never sent. A publication that is being sent or has
 * finished is left unchanged; if this applies to all of them, the command is rejected.
 *
 * Safe to repeat as a whole: each publication has its own stream, which applies the command once.
 */
@Injectable()
export class CancelPublications {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
    private readonly places: PostPlaces,
    private readonly planned: PlannedPosts,
  ) {}

  /** @throws Unavailable: some of the publications may already be cancelled */
  async execute(
    context: CommandContext,
    publications: readonly PublicationIds[],
  ): Promise<CancelledPublications | Rejection> {
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

/** At the owner's request, records that a duplicate has been dealt with: it was deleted, or it may stay (D-84). */
@Injectable()
export class DismissDuplicate {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  async execute(context: CommandContext, ids: PublicationIds): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    const command = { type: 'DismissDuplicate', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}

/** At the owner's request, closes a publication that is in doubt or has failed, without sending it again (D-25). */
@Injectable()
export class DismissPublication {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
  ) {}

  async execute(context: CommandContext, ids: PublicationIds): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    const command = { type: 'DismissPublication', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}

interface CallMessages {
  readonly messageIds: readonly string[];
  readonly urls: readonly string[];
}

/** Lists the messages of several calls: their links or, where the network gives none, their ids. */
export const listMessages = (calls: readonly CallMessages[]): string =>
  calls.flatMap(({ messageIds, urls }) => (urls.length > 0 ? urls : messageIds)).join(', ');

/** The commands of the publishing worker, which also cancels publications that a deletion leaves behind (D-25). */
export type ProgressCommand = Exclude<
  PublicationCommand,
  { readonly type: 'ResendPublication' | 'DismissPublication' | 'DismissDuplicate' }
>;

/** The publication after its progress was recorded, or a rejection if another worker has taken over. */
export type RecordedProgress = DecisionResult<PublicationState, PublicationEvent> | Rejection;

/**
 * Records one step of a publication: its claim, a step of an attempt, or an outcome (D-20). Appends at the known
 * revision; if it is outdated, the append conflicts and the stream is read.
 * @param known the publication as the worker knows it, which saves the read
 * @throws Unavailable
 */
export const recordPublicationProgress = (
  aggregates: AggregateStore,
  context: CommandContext,
  progress: ProgressCommand,
  known: LoadedAggregate<PublicationState>,
): Promise<RecordedProgress> => aggregates.execute(publication, progress.publicationId, progress, context, known);

/** At the owner's request, requeues a publication that is in doubt or has failed (D-25). */
@Injectable()
export class ResendPublication {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly stories: PostStories,
    private readonly places: PostPlaces,
  ) {}

  async execute(context: CommandContext, ids: PublicationIds): Promise<CommandOutcome> {
    const foreign = await rejectForeign(this.aggregates, channel, [ids.channelId], context);
    if (foreign) return foreign;
    if (await this.places.isErased(ids.postId)) return reject('content_erased', COMMAND_MESSAGES.contentErased);
    const { state } = await this.aggregates.loadAggregate(channel, ids.channelId);
    if (state?.deleted) return reject('channel_deleted', COMMAND_MESSAGES.channelDeleted);
    const command = { type: 'ResendPublication', ...ids, at: context.at } as const;
    const inStory = await this.stories.joinStory(context, ids.postId);
    return rejectUnreadable(async () =>
      toOutcome(await this.aggregates.execute(publication, ids.publicationId, command, inStory)),
    );
  }
}
