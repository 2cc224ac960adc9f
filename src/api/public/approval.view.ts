import { isoOrNull } from '../../kernel/instant.js';
import type { PostApproval } from '../../projections/posts/posts.tables.js';

/** The approval of a post (D-62). */
export class ApprovalView {
  readonly state: PostApproval['state'];
  /** Author of the decision: `operator`, `owner:own_…`; null while it is pending. */
  readonly by: string | null;
  /** ISO 8601, UTC; null while it is pending. */
  readonly at: string | null;
  /** The approval note or the rejection reason. */
  readonly note: string | null;

  constructor({ state, by, at, note }: PostApproval) {
    this.state = state;
    this.by = by;
    this.at = isoOrNull(at);
    this.note = note;
  }
}
