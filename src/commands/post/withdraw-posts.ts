import { Inject, Injectable } from '@nestjs/common';
import {
  publication,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { PublicationIds, PublicationWithdrawalRequested } from '../../domain/publication/publication.events.js';
import { AggregateStore, type LoadedAggregate } from '../../event-store/aggregate-store.js';
import { type CommandContext, isDamaged } from '../../event-store/codec.js';
import { type Position, Unavailable } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { isRejection, reasonOf, type Rejection } from '../../kernel/result.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import {
  type PlannedPlace,
  PlannedPostQueries,
  type PlannedPublications,
} from '../../projections/planned-posts/planned-posts.queries.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import type { ResourceId } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices, RESTS_PER_SLICE } from '../../runtime/cooperative-work.js';
import { type Completed, latestCompleted } from '../command.js';
import { rejectUnreadable } from '../publication.js';
import {
  type ChangedPost,
  PlannedPosts,
  type PostPlace,
  POSTS_AT_ONCE,
  READ_MODELS_OF_POSTS,
} from './planned-posts.js';

/** A publication that is to be taken back. */
export type WithdrawnTarget = PublicationIds & Pick<PublicationWithdrawalRequested['data'], 'ownerId' | 'platform'>;

type OpenTarget = WithdrawnTarget & { readonly known?: LoadedAggregate<PublicationState> };

/** What a take-back did, in numbers of publications. */
export type WithdrawnPost = Completed & {
  /** Readers may still see these; their messages are being deleted. */
  readonly withdrawing: number;
  /** These were never published, and never will be. */
  readonly cancelled: number;
  readonly unchanged: number;
};

type Request = Pick<PublicationWithdrawalRequested['data'], 'requestedAt' | 'by' | 'reason'>;

/** Number of publications taken back at a time; a post may have thousands. */
const AT_ONCE = 10;

/**
 * Takes posts back (D-69): what is not sent stays unsent, and what readers see is deleted by the workers. One append
 * takes the whole request, `PostWithdrawn`. Then each publication's own stream gets it, before the answer, and once more
 * by the saga `apply-changes` in case this process dies.
 */
@Injectable()
export class WithdrawPosts {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly planned: PlannedPosts,
    private readonly stories: PostStories,
  ) {}

  /**
   * @param targets publications of the post
   * @returns null if there is no such post
   * @throws Unavailable; repeating is safe
   */
  async withdraw(
    place: PostPlace,
    targets: readonly WithdrawnTarget[],
    reason: string | null,
    context: CommandContext,
  ): Promise<WithdrawnPost | Rejection | null> {
    const { at, actor: by } = context;
    const request = { requestedAt: at, by, reason };
    const found = await inSlices(targets, AT_ONCE, (target) => this.findOpen(target, request), RESTS_PER_SLICE);
    const open = found.filter((each) => each !== null);
    const sooner = open.filter(({ known }) => known.state.status === 'withdrawing').length;
    if (open.length === 0) return { position: -1n, withdrawing: 0, cancelled: 0, unchanged: targets.length };
    const publicationIds = open.map(({ publicationId }) => publicationId);
    const command = { type: 'WithdrawPost', at, reason, publicationIds } as const;
    const taken = await this.planned.execute(place, command, context);
    if (taken === null || isRejection(taken)) return taken;
    const cancelledIds = listCancelled(taken);
    const releasedIds = new Set(listReleased(taken));
    const released = open.filter(({ publicationId }) => releasedIds.has(publicationId));
    const done = await this.withdrawEach(released, request, context);
    const { position } = latestCompleted([taken, done]);
    const cancelled = cancelledIds.length + done.cancelled;
    const withdrawing = done.withdrawing - sooner;
    return { position, withdrawing, cancelled, unchanged: targets.length - cancelled - withdrawing };
  }

  /** Takes publications of a released post back. Safe to repeat: a publication handles each request once. */
  async withdrawEach(
    targets: readonly OpenTarget[],
    request: Request,
    context: CommandContext,
  ): Promise<Omit<WithdrawnPost, 'unchanged'>> {
    const postId = targets[0]?.postId;
    if (postId === undefined) return { position: -1n, withdrawing: 0, cancelled: 0 };
    const inStory = await this.stories.joinStory(context, postId);
    let withdrawing = 0;
    let cancelled = 0;
    const withdrawOne = async ({ known, ...target }: OpenTarget): Promise<Completed> => {
      const command = commandFor(target, request, context.at);
      const result = await rejectUnreadable(() =>
        this.aggregates.execute(publication, target.publicationId, command, inStory, known),
      );
      if (isRejection(result)) return { position: -1n };
      const { state, position } = result.aggregate;
      // The saga may have been faster, with the same request.
      if (state.withdrawal?.requestedAt !== request.requestedAt) return { position: -1n };
      if (state.status === 'dismissed') cancelled += 1;
      else withdrawing += 1;
      return { position };
    };
    const positions = await inSlices(targets, AT_ONCE, withdrawOne, RESTS_PER_SLICE);
    return { ...latestCompleted(positions), withdrawing, cancelled };
  }

  /** Loads a publication; null if there is nothing to take back. If it is `withdrawing`, its next try comes sooner. */
  private async findOpen(target: WithdrawnTarget, request: Request): Promise<Required<OpenTarget> | null> {
    const known = await rejectUnreadable(() => this.aggregates.loadAggregate(publication, target.publicationId));
    if (isRejection(known)) return null;
    const decided = publication.decide(commandFor(target, request, request.requestedAt), known.state);
    return isRejection(decided) || decided.length === 0 ? null : { ...target, known };
  }
}

const commandFor = (target: WithdrawnTarget, request: Request, at: Instant): PublicationCommand => ({
  type: 'WithdrawPublication',
  ...target,
  ...request,
  at,
});

const listReleased = ({ events }: ChangedPost): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'PostWithdrawn' && !event.data.wasPlanned ? event.data.publicationIds : [],
  );

const listCancelled = ({ events }: ChangedPost): readonly string[] =>
  events.flatMap((event) => (event.type === 'PlannedPublicationsCancelled' ? event.data.publicationIds : []));

/** Number of posts found at a time; each may have thousands of publications. */
const BATCH_SIZE = 50;
const NOTHING: Completed = { position: -1n };

/** Cancels the planned publications of a deleted channel, project, endpoint or owner. */
@Injectable()
export class PlannedCancellations {
  constructor(
    @Inject(PlannedPostQueries) private readonly planned: Pick<PlannedPostQueries, 'findPlanned'>,
    private readonly posts: PlannedPosts,
    @Inject(ProjectionProgress) private readonly progress: Pick<ProjectionProgress, 'requireUpTo'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Cancels the planned publications of a resource, a batch of posts at a time. Leaves posts that the read model shows
   * although their streams hold nothing to cancel, and posts whose events are damaged, which it logs.
   * @returns position of the last event that changed or released one of these posts
   * @throws Unavailable @throws ReadModelBehind
   */
  async cancelAll(of: ResourceId, context: CommandContext): Promise<Completed> {
    let last = NOTHING;
    for (;;) {
      const completed = latestCompleted([last, await this.cancelOnce(of, context)]);
      if (completed.position === last.position) return last;
      last = completed;
      // The next round must not find these posts again, only posts that were planned in the meantime.
      await this.progress.requireUpTo('planned-posts', last.position);
    }
  }

  /** Goes through the planned posts of a resource once. */
  private async cancelOnce(of: ResourceId, context: CommandContext): Promise<Completed> {
    let last = NOTHING;
    for (let after = ''; ;) {
      const batch = await this.planned.findPlanned(of, { after, limit: BATCH_SIZE });
      if (batch.length === 0) return last;
      last = latestCompleted([
        last,
        ...(await inSlices(batch, POSTS_AT_ONCE, (post) => this.cancelReadable(post, context))),
      ]);
      after = batch.at(-1)!.postId;
    }
  }

  private async cancelReadable(post: PlannedPublications, context: CommandContext): Promise<Completed> {
    try {
      return await this.cancel(post, context);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      // It cannot be released either: the saga of the releases sets it aside.
      const { postId, stream } = post;
      const detail = { post_id: postId, stream, reason: reasonOf(error) };
      this.log.error(detail, 'a planned post cannot be read, and is not cancelled');
      return NOTHING;
    }
  }

  private async cancel(post: PlannedPublications, context: CommandContext): Promise<Completed> {
    const { publicationIds } = post;
    const command = { type: 'CancelPlanned', at: context.at, publicationIds, ifRevision: null } as const;
    const each = { ...context, commandId: `${context.commandId}/cancel-planned/${post.postId}` };
    const result = await this.posts.execute(post, command, each);
    if (result && !isRejection(result)) return result;
    // The post was released first: its publications are already in their queues.
    return (await this.posts.load(post)) ?? NOTHING;
  }
}

/** Number of posts found at a time. */
const PAGE_SIZE = 200;
/** How much earlier than its acceptance a post's id may be, in ms: storing its payload takes time, and clocks differ. */
const ID_LEAD_MS = 86_400_000;

/** The outcome of {@link CancelPlannedPosts}. */
export interface PlannedPostsCancelled extends Completed {
  /** Number of posts that were cancelled. */
  readonly cancelled: number;
}

/**
 * Cancels the planned posts that an endpoint has accepted since a time, for example with a stolen token (D-87). Each
 * post is cancelled by an event of its own, so the command may be repeated after a crash: it then cancels the rest.
 */
@Injectable()
export class CancelPlannedPosts {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly queries: PlannedPostQueries,
    private readonly posts: PlannedPosts,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * @throws Unavailable
   * @param since null for all
   */
  async execute(context: CommandContext, endpointId: string, since: Instant | null): Promise<PlannedPostsCancelled> {
    // Every post that was accepted before must be found. Later ones are left: a client may keep sending posts.
    const upTo = await this.aggregates.store.readHead();
    if (!(await this.progress.waitFor(['planned-posts'], upTo))) throw new Unavailable('planned-posts is behind');
    const from = since === null ? 0 : Math.max(0, since - ID_LEAD_MS);
    let [position, cancelled, after]: [Position, number, string] = [-1n, 0, ''];
    for (;;) {
      const page = await this.queries.findAccepted(endpointId, { from, upTo, after, limit: PAGE_SIZE });
      for (const done of await inSlices(page, POSTS_AT_ONCE, (place) => this.cancel(place, since, context))) {
        if (done === null) continue;
        cancelled++;
        if (done > position) position = done;
      }
      if (page.length < PAGE_SIZE) return { position, cancelled };
      // Leaves time for the read models, which other owners need too.
      await this.progress.waitFor(READ_MODELS_OF_POSTS, position);
      after = page.at(-1)!.postId;
    }
  }

  /** Returns the position of the cancellation; null if the post was accepted earlier, released or changed by others, or cannot be read. */
  private async cancel(place: PlannedPlace, since: Instant | null, context: CommandContext): Promise<Position | null> {
    const result = await rejectUnreadable(() => this.cancelSince(place, since, context));
    return result && !isRejection(result) && result.events.length > 0 ? result.position : null;
  }

  private async cancelSince(place: PlannedPlace, since: Instant | null, context: CommandContext) {
    if (since !== null) {
      const loaded = await this.posts.load(place);
      if (!loaded || loaded.state.acceptedAt < since) return null;
    }
    const command = { type: 'CancelPlanned', at: context.at, publicationIds: null, ifRevision: null } as const;
    const each = { ...context, commandId: `${context.commandId}/${place.postId}` };
    return this.posts.execute(place, command, each);
  }
}
