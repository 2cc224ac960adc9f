import { Inject } from '@nestjs/common';
import { newCommandContext } from '../../commands/command.js';
import { type EditedTarget, EditPosts } from '../../commands/post/edit-posts.js';
import { WithdrawPosts } from '../../commands/post/withdraw-posts.js';
import type { PostEdited, PostWithdrawn } from '../../domain/post/post.events.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { FindPost } from '../../projections/posts/posts.queries.js';
import type { PublicationRow } from '../../projections/posts/posts.tables.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { causedBy, FollowsLog } from '../engine/event-saga.js';

const NAME = 'apply-changes';

/** How long the process that took the request has to carry it out, in ms, before this saga does what is left. */
const HEAD_START_MS = 10_000;

/**
 * Takes every publication back that a request names, and gives every publication of an edited post its newest content
 * (D-69, D-72), if the process that took the request died before.
 */
@FollowsLog<PostWithdrawn | PostEdited>({
  name: NAME,
  types: ['PostWithdrawn', 'PostEdited'],
  startsAt: 'beginning',
  lanes: 'owner',
})
export class ApplyChanges {
  constructor(
    private readonly withdrawals: WithdrawPosts,
    private readonly edits: EditPosts,
    private readonly findPost: FindPost,
    private readonly progress: ProjectionProgress,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async react(event: RecordedEventOf<PostWithdrawn | PostEdited>, signal: AbortSignal): Promise<void> {
    const { postId, ownerId, at: requestedAt } = event.data;
    if (event.type === 'PostWithdrawn' && event.data.wasPlanned) return; // the same append cancelled them
    const untilStart = Math.min(HEAD_START_MS, requestedAt + HEAD_START_MS - this.clock.now());
    if (untilStart > 0) await sleepUnlessAborted(untilStart, signal);
    signal.throwIfAborted();
    await this.progress.requireUpTo('posts', event.position);
    const found = await this.findPost.execute(postId, null);
    if (!found) return;
    const targets = found.publications
      .filter((row) => !isApplied(row, event))
      .map(
        ({ publication_id: publicationId, channel_id: channelId, project_id: projectId, platform }): EditedTarget => ({
          publicationId,
          postId,
          channelId,
          ownerId,
          platform,
          projectId,
        }),
      );
    const context = newCommandContext(causedBy(event, NAME), NAME, requestedAt);
    const { actor: by } = event;
    if (event.type === 'PostEdited') {
      const { revision, releasedRevision } = event.data;
      const content = { revision, streamRevision: Number(event.revision) };
      await this.edits.editEach(targets, { requestedAt, by, content, releasedRevision }, new Map(), context);
      return;
    }
    const { reason, publicationIds } = event.data;
    const named = new Set(publicationIds);
    const withdrawn = targets.filter(({ publicationId }) => named.has(publicationId));
    await this.withdrawals.withdrawEach(withdrawn.map(withoutProject), { requestedAt, by, reason }, context);
  }
}

/** True if the read model shows that a publication has got the request. */
const isApplied = (
  { withdrawal, edit, content_version }: PublicationRow,
  { type, data }: RecordedEventOf<PostWithdrawn | PostEdited>,
): boolean =>
  type === 'PostWithdrawn'
    ? withdrawal !== null && withdrawal.requested_at >= data.at
    : Math.max(edit?.revision ?? 0, content_version ?? 0) >= data.revision;

const withoutProject = ({ projectId: _, ...target }: EditedTarget) => target;
