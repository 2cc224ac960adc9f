import { Injectable } from '@nestjs/common';
import { publication, type PublicationCommand } from '../../domain/publication/publication.decider.js';
import type { PublicationIds, PublicationWithdrawalRequested } from '../../domain/publication/publication.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Instant } from '../../kernel/clock.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { PostStories } from '../../projections/posts/post-details.queries.js';
import { inSlices } from '../../runtime/cooperative-work.js';
import { type Completed, latestCompleted } from '../command.js';
import { rejectUnreadable } from '../publication.js';
import { type ChangedPost, PlannedPosts, type PostPlace } from './planned-posts.js';

/** A publication that is to be taken back. */
export type WithdrawnTarget = PublicationIds & Pick<PublicationWithdrawalRequested['data'], 'ownerId' | 'platform'>;

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
const AT_ONCE = 200;

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
    const changes = await inSlices(targets, AT_ONCE, (target) => this.changeOf(target, request));
    const open = targets.filter((_, i) => changes[i] !== 'none');
    const sooner = changes.filter((change) => change === 'sooner').length;
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
    targets: readonly WithdrawnTarget[],
    request: Request,
    context: CommandContext,
  ): Promise<Omit<WithdrawnPost, 'unchanged'>> {
    const postId = targets[0]?.postId;
    if (postId === undefined) return { position: -1n, withdrawing: 0, cancelled: 0 };
    const inStory = await this.stories.joinStory(context, postId);
    let withdrawing = 0;
    let cancelled = 0;
    const positions = await inSlices(targets, AT_ONCE, async (target) => {
      const command = commandFor(target, request, context.at);
      const result = await rejectUnreadable(() =>
        this.aggregates.execute(publication, target.publicationId, command, inStory),
      );
      if (isRejection(result)) return { position: -1n };
      const { state, position } = result.aggregate;
      // The saga may have been faster, with the same request.
      if (state.withdrawal?.requestedAt !== request.requestedAt) return { position: -1n };
      if (state.status === 'dismissed') cancelled += 1;
      else withdrawing += 1;
      return { position };
    });
    return { ...latestCompleted(positions), withdrawing, cancelled };
  }

  /** `sooner`: it is being taken back, and the next try need not be waited for. */
  private async changeOf(target: WithdrawnTarget, request: Request): Promise<'none' | 'sooner' | 'state'> {
    const loaded = await rejectUnreadable(() => this.aggregates.loadAggregate(publication, target.publicationId));
    if (isRejection(loaded)) return 'none';
    const { state } = loaded;
    const decided = publication.decide(commandFor(target, request, request.requestedAt), state);
    if (isRejection(decided) || decided.length === 0) return 'none';
    return state.status === 'withdrawing' ? 'sooner' : 'state';
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
