import { iso } from '../../../kernel/instant.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { FoundPost, PostWithPublications } from '../../../projections/posts/posts.queries.js';
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
  /** As it was sent; null if there is none, or if `metadata_truncated`. */
  readonly metadata: JsonObject | null;
  /** The metadata is too large for a list: `GET /posts/{id}` shows it. Absent otherwise. */
  readonly metadata_truncated?: true;
  /** The first 120 UTF-16 units of the text, cut at a grapheme; null without a text. */
  readonly excerpt: string | null;
  /** Null if the store does not hold the payload whole and unchanged any more. */
  readonly media_count: number | null;
  /** One for each target, in the order of the projects and their channels as discovery shows them (D-57). */
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
    this.publications = publications;
  }
}

/** A post with its publications and its payload. */
export class PostWithPayloadView extends PostView {
  /** As it was accepted; null if the store does not hold it whole and unchanged any more. */
  readonly payload: PublishPayload | null;

  constructor(post: FoundPost, publications: readonly PublicationView[]) {
    super(post, publications);
    this.payload = post.payload;
  }
}

/** The result of cancelling what is queued of a post (management-api.md: `POST /posts/{id}/cancel`). */
export class CancelledPostView {
  constructor(
    /** Number of publications that were cancelled. */
    readonly cancelled: number,
    /** All publications of the post, in the order of the post. */
    readonly publications: readonly PublicationView[],
  ) {}
}
