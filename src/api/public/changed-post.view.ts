import type { ChangedPost } from '../../commands/post/planned-posts.js';
import { isoOrNull } from '../../kernel/instant.js';

/** A planned post after a change (D-63). */
export class ChangedPostView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** The time that the post is planned for, or was planned for before its release (ISO 8601, UTC); null if none. */
  readonly publish_at: string | null;
  /** `released` if the change released the post. */
  readonly state: 'planned' | 'released';
  /** Revision of the content and plan, as in `ETag`; it increases by one with each change. */
  readonly revision: number;
  /** The number of channels that the post goes to. */
  readonly queued_targets: number;

  constructor({ state }: ChangedPost) {
    this.id = state.postId;
    this.publish_at = isoOrNull(state.publishAt);
    this.state = state.status === 'released' ? 'released' : 'planned';
    this.revision = state.revision;
    this.queued_targets = state.targets.length;
  }
}

/** The result of cancelling a post's planned or queued publications. */
export class CancelledView {
  /** Always true. */
  readonly ok = true;
  constructor(
    /** `post_…` */
    readonly id: string,
    /** The number of publications that were cancelled. */
    readonly cancelled: number,
  ) {}
}
