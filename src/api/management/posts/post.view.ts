import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { PublishPayload } from '../../../payload/payload.js';
import { approvalOf } from '../../../projections/posts/post-plans.queries.js';
import type { FoundPost, PostWithPublications } from '../../../projections/posts/posts.queries.js';
import { ApprovalView } from '../../public/approval.view.js';
import type { PublicationView } from './publication.view.js';

/** A post with its publications, without its payload (management-api.md: Routes). */
export class PostView {
  /** `post_…` */
  readonly id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  /** ISO 8601, UTC. */
  readonly accepted_at: string;
  readonly external_id: string | null;
  readonly trace_id: string | null;
  /** As sent; null if there is none, or if `metadata_truncated` is true. */
  readonly metadata: JsonObject | null;
  /** True if the metadata is too large for a list: `GET /posts/{id}` shows it. Absent otherwise. */
  readonly metadata_truncated?: true;
  /** The first 120 UTF-16 units of the text, cut at a grapheme boundary; null if it has no text. */
  readonly excerpt: string | null;
  /** Null if the store no longer has the complete, unchanged payload. */
  readonly media_count: number | null;
  /** The time that it was planned for, ISO 8601, UTC; null if none was given. */
  readonly publish_at: string | null;
  /** Time at which its publications entered their queues, ISO 8601, UTC; null if they have not. */
  readonly released_at: string | null;
  /** Null if no approval was required. */
  readonly approval: ApprovalView | null;
  /** Revision of its content and plan, which starts at 1 and increases by one with each change. */
  readonly revision: number;
  /** One per target, in the order in which discovery lists projects and channels (D-57). */
  readonly publications: readonly PublicationView[];

  constructor({ post, summary }: PostWithPublications, publications: readonly PublicationView[]) {
    this.id = post.post_id;
    this.endpoint_id = post.endpoint_id;
    this.owner_id = post.owner_id;
    this.accepted_at = iso(post.accepted_at);
    this.external_id = post.external_id;
    this.trace_id = post.trace_id;
    this.metadata = summary.metadata;
    if (summary.isMetadataTruncated) this.metadata_truncated = true;
    this.excerpt = summary.excerpt;
    this.media_count = summary.mediaCount;
    this.publish_at = isoOrNull(post.publish_at);
    this.released_at = isoOrNull(post.released_at);
    const approval = approvalOf(post);
    this.approval = approval && new ApprovalView(approval);
    this.revision = post.version;
    this.publications = publications;
  }
}

/** A post with its publications and its payload. */
export class PostWithPayloadView extends PostView {
  /** As accepted; null if the store no longer has it complete and unchanged. */
  readonly payload: PublishPayload | null;

  constructor(post: FoundPost, publications: readonly PublicationView[]) {
    super(post, publications);
    this.payload = post.payload;
  }
}

/** The result of cancelling a post's planned or queued publications (management-api.md: `POST /posts/{id}/cancel`). */
export class CancelledPostView {
  constructor(
    /** Number of publications that were cancelled. */
    readonly cancelled: number,
    /** All publications of the post, in the post's order. */
    readonly publications: readonly PublicationView[],
  ) {}
}
