import { newCommandContext } from '../../commands/command.js';
import { WithdrawPosts } from '../../commands/post/withdraw-posts.js';
import type { PostWithdrawn } from '../../domain/post/post.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { FindPost } from '../../projections/posts/posts.queries.js';
import { causedBy, FollowsLog } from '../engine/event-saga.js';

const NAME = 'withdraw-posts';

/** Takes every publication back that a request names (D-69), if the process that took the request died before. */
@FollowsLog<PostWithdrawn>({ name: NAME, types: ['PostWithdrawn'], startsAt: 'beginning', lanes: 'owner' })
export class ApplyWithdrawals {
  constructor(
    private readonly withdrawals: WithdrawPosts,
    private readonly findPost: FindPost,
    private readonly progress: ProjectionProgress,
  ) {}

  async react(event: RecordedEventOf<PostWithdrawn>): Promise<void> {
    const { postId, ownerId, at: requestedAt, reason, publicationIds, wasPlanned } = event.data;
    if (wasPlanned) return; // the same append cancelled them
    await this.progress.requireUpTo('posts', event.position);
    const found = await this.findPost.execute(postId, null);
    if (!found) return;
    const named = new Set(publicationIds);
    const targets = found.publications.flatMap(({ publication_id: publicationId, channel_id: channelId, platform }) =>
      named.has(publicationId) ? [{ publicationId, postId, channelId, ownerId, platform }] : [],
    );
    const context = newCommandContext(causedBy(event, NAME), NAME, requestedAt);
    await this.withdrawals.withdrawEach(targets, { requestedAt, by: event.actor, reason }, context);
  }
}
