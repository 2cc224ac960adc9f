import type { Replay } from '../../commands/post/key-claims.js';

/** The answer to an accepted post and to its replays (publish-api.md: Publish response; D-9, D-10). */
export class PublishView {
  /** Always true. */
  readonly ok = true;
  /** The post's id; null if the endpoint has no project: then no post was created. */
  readonly id: string | null;
  /** `trace_id` of the body; null if it had none. */
  readonly trace_id: string | null;
  /** The number of channels that the post goes to. */
  readonly queued_targets: number;

  constructor({ postId, traceId, queuedTargets }: Replay['answer']) {
    this.id = postId;
    this.trace_id = traceId;
    this.queued_targets = queuedTargets;
  }
}
