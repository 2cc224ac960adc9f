import { type CommandContext, isDamaged } from '../../event-store/codec.js';
import type { Log } from '../../kernel/log.js';
import { isRejection, reasonOf } from '../../kernel/result.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { PlannedPostQueries, PlannedPublications } from '../../projections/planned-posts/planned-posts.queries.js';
import type { ResourceId } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { inSlices } from '../../runtime/cooperative-work.js';
import { type Completed, latestCompleted } from '../command.js';
import { type PlannedPosts, POSTS_AT_ONCE } from './planned-posts.js';

/** Number of posts found at a time; each may have thousands of publications. */
const BATCH_SIZE = 50;
const NOTHING: Completed = { position: -1n };

/** Cancels the planned publications of a deleted channel, project, endpoint or owner. */
export class PlannedCancellations {
  constructor(
    private readonly planned: Pick<PlannedPostQueries, 'findPlanned'>,
    private readonly posts: PlannedPosts,
    private readonly progress: Pick<ProjectionProgress, 'requireUpTo'>,
    private readonly log: Log,
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
