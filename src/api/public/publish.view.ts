import type { Replay } from '../../commands/post/key-claims.js';
import { isoOrNull } from '../../kernel/instant.js';

/** The response to an accepted post and to its replays (publish-api.md: Publish response; D-9, D-10). */
export class PublishView {
  /** Always true. */
  readonly ok = true;
  /** The post id; null if no post was created because the endpoint has no project. */
  readonly id: string | null;
  /** `trace_id` of the body; null if it had none. */
  readonly trace_id: string | null;
  /** The number of channels that the post goes to. */
  readonly queued_targets: number;

  /**
   * The time that the post is planned for, ISO 8601, UTC; null if it only waits for approval. Absent unless the post is
   * planned.
   */
  readonly publish_at?: string | null;
  /** Absent unless the post waits for its release. */
  readonly state?: 'planned';

  constructor({ postId, traceId, queuedTargets, planned }: Replay['answer']) {
    this.id = postId;
    this.trace_id = traceId;
    this.queued_targets = queuedTargets;
    if (!planned) return;
    this.publish_at = isoOrNull(planned.publishAt);
    this.state = 'planned';
  }
}
