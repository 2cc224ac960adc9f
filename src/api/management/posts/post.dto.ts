import type { EditedPost } from '../../../commands/post/edit-posts.js';
import type { WithdrawnPost } from '../../../commands/post/withdraw-posts.js';
import { iso, isoOrNull } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/ids.js';
import { LIMITS, type PublishPayload, TRACE_ID_LENGTH } from '../../../payload/payload.js';
import { approvalOf } from '../../../projections/posts/post-details.queries.js';
import type { FoundPost, PostWithPublications } from '../../../projections/posts/posts.queries.js';
import { PUBLICATION_STATES, type PublicationViewState } from '../../../projections/posts/posts.tables.js';
import { emptyTextToAbsent, ReadAs } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { countCharacters } from '../../../validation/text-measure.js';
import { describeValue, type FieldProblem } from '../../../validation/wording.js';
import type { ContentWarningView } from '../../public/content-edits.js';
import { ApprovalView } from '../../public/post.views.js';
import type { PreviewCallView } from '../../public/sandbox/sandbox.view.js';
import { isCursorOf, PageQuery } from '../../transport/fields.js';
import { ID_PATTERN, isTime } from '../common-fields.js';
import { BODY_MESSAGES } from '../messages.js';
import { PublicationView } from './publication.view.js';

/** Longest note or reason, in characters (D-62). */
const LONGEST = 500;

/** Body of POST /posts/{id}/approve. */
export class ApproveBody {
  /** A note for readers of the decision; an empty note counts as none. */
  @ReadAs(emptyTextToAbsent)
  @Must.beVisibleText(LONGEST)
  readonly note: string | undefined;

  /** The revision of the post that was read; `If-Match` may name it instead. One of the two is required. */
  @Must.beAtLeast(1)
  @Must.beInteger()
  readonly revision: number | undefined;
}

/** Body of POST /posts/{id}/reject. */
export class RejectBody {
  /** The reason, for the author of the post. */
  @Must.beVisibleText(LONGEST)
  @Must.bePresent('why the post is not published')
  readonly reason!: string;
}

/** A post with its publications, without its payload (management-api.md: Routes). */
export class PostView {
  /** `post_…` */
  readonly id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  /** The actor that posted it, such as `endpoint:ep_…` or `owner:own_…`. */
  readonly posted_by: string;
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
  /** True if its content was erased: what held it is null. Absent otherwise. */
  readonly content_erased?: true;
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
    this.posted_by = post.posted_by;
    this.accepted_at = iso(post.accepted_at);
    this.external_id = post.external_id;
    this.trace_id = post.trace_id;
    this.metadata = summary.metadata;
    if (summary.isMetadataTruncated) this.metadata_truncated = true;
    this.excerpt = summary.excerpt;
    if (post.content_erased) this.content_erased = true;
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

/** The result of taking a post back (D-69). The numbers count publications. */
export class WithdrawnPostView {
  /** `post_…` */
  readonly id: string;
  /** Readers may still see these; their messages are being deleted. */
  readonly withdrawing: number;
  /** These were never published, and never will be. */
  readonly cancelled: number;
  /** There was nothing to take back, or it was taken back before. */
  readonly unchanged: number;
  readonly publications: readonly PublicationView[];

  constructor(
    id: string,
    { withdrawing, cancelled, unchanged }: Omit<WithdrawnPost, 'position'>,
    publications: readonly PublicationView[],
  ) {
    this.id = id;
    this.withdrawing = withdrawing;
    this.cancelled = cancelled;
    this.unchanged = unchanged;
    this.publications = publications;
  }
}

/** A publication in the answer to an edit. */
export class EditedPublicationView extends PublicationView {
  /** The calls that the edit would make; only in the answer to a dry run. */
  readonly requests?: readonly PreviewCallView[];
}

/** The result of giving a post new content (D-72). */
export class EditedPostView {
  /** `post_…` */
  readonly id: string;
  /** Revision of the post's content and plan, as in `ETag`. */
  readonly revision: number;
  readonly state: 'planned' | 'released';
  readonly publications: readonly EditedPublicationView[];
  readonly warnings: readonly ContentWarningView[];

  constructor(
    id: string,
    { revision, state }: EditedPost,
    publications: EditedPostView['publications'],
    warnings: readonly ContentWarningView[],
  ) {
    this.id = id;
    this.revision = revision;
    this.state = state === 'planned' ? 'planned' : 'released';
    this.publications = publications;
    this.warnings = warnings;
  }
}

/** Checks a client-chosen id. PostgreSQL cannot store null characters, so no stored id contains one. */
const findKeyProblem = (value: unknown, limit: number): FieldProblem | undefined =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && countCharacters(value) <= limit
    ? undefined
    : { code: 'bad_form', predicate: BODY_MESSAGES.shorterText({ limit, value: describeValue(value) }) };

/** Query parameters of the post list (management-api.md). */
export class PostsQuery extends PageQuery {
  @isCursorOf('post', 'calendar')
  declare readonly cursor: string | undefined;

  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly endpoint_id: string | undefined;

  /** Posts with a publication on this channel. */
  @Must.match(ID_PATTERN, 'an id such as tgt_…')
  readonly channel_id: string | undefined;

  /** Posts with a publication of this project. */
  @Must.match(ID_PATTERN, 'an id such as prj_…')
  readonly project_id: string | undefined;

  /** Posts with a publication in this state; if channel or project is given too, the same publication must match it. */
  @Must.beOneOf(PUBLICATION_STATES)
  readonly state: PublicationViewState | undefined;

  /** `pending`: only posts that wait for approval. */
  @Must.beOneOf(['pending'])
  readonly approval: 'pending' | undefined;

  @Must.beAllowedBy((value) => findKeyProblem(value, LIMITS.keyLength))
  readonly external_id: string | undefined;

  @Must.beAllowedBy((value) => findKeyProblem(value, TRACE_ID_LENGTH))
  readonly trace_id: string | undefined;

  /** Words of the text or their beginnings: posts that have all of them, in any form of Russian and English words. */
  @Must.match(/[\p{L}\p{N}]/u, 'words to search for')
  @Must.haveAtMostCharacters(200)
  readonly text: string | undefined;

  /** Posts that this actor posted, approved or rejected: `operator`, `owner:own_…`, `key:key_…` or `endpoint:ep_…`. */
  @Must.match(/^(operator|(owner|key|endpoint):\w{1,64})$/, 'an actor such as operator, owner:own_… or endpoint:ep_…')
  readonly by: string | undefined;

  /**
   * `publish_at` sorts the list like a calendar: earliest time first, and posts awaiting approval without a time last.
   * `since` and `until` then apply to `publish_at`.
   */
  @Must.beOneOf(['publish_at'])
  readonly order: 'publish_at' | undefined;

  /** Only posts that were accepted at this time or later. */
  @isTime()
  readonly since: string | undefined;

  /** Only posts that were accepted before this time. */
  @isTime()
  readonly until: string | undefined;

  /** Only this owner's posts. Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}
