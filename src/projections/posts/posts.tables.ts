import type { Plan } from '../../domain/owner/owner.events.js';
import type { ChangeRule, PublicationError, PublicationWarning } from '../../domain/publication/publication.events.js';
import {
  bigint,
  boolean,
  defineTable,
  fixed,
  int,
  jsonb,
  nullable,
  readSchema,
  type RowOfTable,
  searchWords,
  text,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const POSTS_VERSION = 16;
export const POSTS = readSchema('posts', POSTS_VERSION);

/** SQL: the indexed prefix of a `trace_id`. A `trace_id` can have up to 4,096 bytes, but an index entry only 2,704. */
export const INDEXED_TRACE_ID = (column: string): string => `left(${column}, 128)`;

/** SQL: who approved or rejected a post. */
export const DECIDED_BY = (post: string): string => `(${post}approval::jsonb ->> 'by')`;

export const PUBLICATION_STATES = [
  'planned',
  'queued',
  'publishing',
  'published',
  'failed',
  'in_doubt',
  'filtered',
  'dismissed',
  'withdrawing',
  'withdrawn',
  'withdraw_failed',
] as const;
/** State of a publication (management-api.md: publication). */
export type PublicationViewState = (typeof PUBLICATION_STATES)[number];

/** A publishing attempt, as in management-api.md. */
export interface Attempt {
  readonly n: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  /** `published`, `postponed`, `failed`, `in_doubt`; null while it is in progress. */
  readonly outcome: string | null;
  readonly error: PublicationError | null;
  /** Month of the event with the error, if it is not that of `ended_at` (D-100). */
  readonly month?: string;
}

/** Messages that readers see in addition to a publication's own (D-84). */
export interface Duplicate {
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  /** Time at which they were found. */
  readonly at: number;
}

/** The latest take-back of a publication (D-69). */
export interface RowWithdrawal {
  readonly requested_at: number;
  readonly by: string;
  readonly reason: string | null;
  readonly attempts: number;
  /** Ids of the messages that are gone. */
  readonly deleted: readonly string[];
  /** What the next try waits for; null if nothing delays it. */
  readonly waiting: { readonly rule: ChangeRule; readonly until: number; readonly event: string } | null;
  readonly error: PublicationError | null;
  /** Time of the event with the latest error. */
  readonly error_at?: number;
  /** Null while messages are being deleted. */
  readonly ended_at: number | null;
  /** Month of the event with the reason, if it is not that of `requested_at` (D-100). */
  readonly month?: string;
}

/** Content of a post that is newer than what readers see on one channel (D-72). */
export interface RowEdit {
  /** Revision of the post. */
  readonly revision: number;
  readonly attempts: number;
  /** Ids of the messages that show it. */
  readonly done: readonly string[];
  /** True while readers see nothing: the next attempt publishes it, or the edit follows the current one. */
  readonly waits: boolean;
  /** See {@link RowWithdrawal}. */
  readonly waiting: RowWithdrawal['waiting'];
  readonly error: PublicationError | null;
  /** See {@link RowWithdrawal}. */
  readonly error_at?: number;
  readonly has_failed: boolean;
}

/** The approval of a post (D-62). */
export interface PostApproval {
  readonly state: 'pending' | 'approved' | 'rejected';
  /** Author of the decision; null while it is pending. */
  readonly by: string | null;
  readonly at: number | null;
  /** The note of an approval, or the reason for a rejection. */
  readonly note: string | null;
}

/** Accepted posts, without their payloads. */
export const postRows = defineTable(
  { name: 'post', key: 'post_id', isHot: true },
  {
    post_id: fixed(text()),
    endpoint_id: fixed(text()),
    owner_id: fixed(text()),
    /** Stream of the event that accepted the post and contains its payload. */
    stream: fixed(text()),
    revision: fixed(text()),
    accepted_at: fixed(bigint()),
    /** Actor that posted it. */
    posted_by: fixed(text()),
    external_id: fixed(nullable(text())),
    trace_id: nullable(text()),
    /** JSON text as sent, because jsonb would reorder keys and round numbers. Null if absent, or if `in_parts`. */
    metadata: nullable(text()),
    /** True if the payload, including its metadata, is stored in parts (D-42). */
    in_parts: boolean(),
    /** The beginning of the text; null if the post has no text, or if `in_parts`. */
    excerpt: nullable(text()),
    /** Null if `in_parts`. */
    media_count: nullable(int()),
    /** Revision to pass to {@link PostPayloads.readPost} to read the content. */
    content_revision: text(),
    /** Month of the event with the content, if it is not that of `accepted_at` (D-100). */
    content_month: nullable(text()),
    content_erased: boolean(),
    /** Null if none was given. */
    publish_at: nullable(bigint()),
    /** Time at which its publications entered their queues; null if they have not, or never will. */
    released_at: nullable(bigint()),
    /** True while it is planned, until it is released, rejected or cancelled (D-58). */
    is_planned: boolean(),
    /** JSON text of a {@link PostApproval}; null if none was required. */
    approval: nullable(text()),
    /** Time at which it started to wait for approval; null if it is not waiting. */
    pending_since: nullable(bigint()),
    /** Id of the event that accepted the post or last changed or approved its plan. */
    plan_event: text(),
    /** Revision of its content and plan, which increases by one with each change (D-63). */
    version: int(),
    /** Stream revision of the event that queued them; null before the release. */
    released_stream_revision: nullable(text()),
  },
);
/** A row of {@link postRows}. */
export type PostRow = RowOfTable<typeof postRows>;

/**
 * The words that posts are found by (ADR-408): the different words of a text, sorted, from which the text cannot be
 * restored, and the id of the owner.
 */
export const postWordRows = defineTable(
  { name: 'post_words', key: 'post_id', isHot: true },
  { post_id: fixed(text()), words: searchWords() },
);
/** A row of {@link postWordRows}. */
export type PostWordRow = RowOfTable<typeof postWordRows>;

export const publicationRows = defineTable(
  {
    name: 'publication',
    key: 'publication_id',
    computed: [
      `settled text generated always as
      (case when state not in ('queued', 'publishing', 'published') then state end) stored`,
    ],
    fillfactor: 60,
    isHot: true,
  },
  {
    publication_id: text(),
    post_id: fixed(text()),
    owner_id: fixed(text()),
    channel_id: fixed(text()),
    project_id: text(),
    platform: fixed(text()),
    /** Null until the release (D-58). */
    sequence: nullable(bigint()),
    /** Zero-based index among the post's publications (D-57). */
    place: int(),
    state: text<PublicationViewState>(),
    attempts: jsonb<readonly Attempt[]>(),
    message_ids: jsonb<readonly string[]>(),
    urls: jsonb<readonly string[]>(),
    warnings: jsonb<readonly PublicationWarning[]>(),
    /** Month of the event with the warnings, if it is not that of `published_at` (D-100). */
    warnings_month: nullable(text()),
    published_at: nullable(bigint()),
    duplicates: jsonb<readonly Duplicate[]>(),
    /** Time at which the first duplicate that is not dismissed was found; null if there is none. */
    duplicate_since: nullable(bigint()),
    withdrawal: nullable(jsonb<RowWithdrawal>()),
    /** Version of the content that readers see, or that is sent next; null before the release. */
    content_version: nullable(int()),
    edited_at: nullable(bigint()),
    edit: nullable(jsonb<RowEdit>()),
    /** Time at which the newest content was refused; null if it was not. */
    edit_failed_since: nullable(bigint()),
    /** False if a message was to be pinned and is not; null if it was not asked for. */
    is_pinned: nullable(boolean()),
  },
);
/** A row of {@link publicationRows}. */
export type PublicationRow = RowOfTable<typeof publicationRows>;

/** Lists the messages of a publication that readers may still see, oldest first. */
export const listRemaining = ({
  message_ids,
  duplicates,
  withdrawal,
}: Pick<PublicationRow, 'message_ids' | 'duplicates' | 'withdrawal'>): readonly string[] => {
  const deleted = new Set(withdrawal?.deleted);
  return [...message_ids, ...duplicates.flatMap((each) => each.message_ids)].filter((id) => !deleted.has(id));
};

/** Uploaded files that posts name (D-90). */
export const mediaUseRows = defineTable(
  { name: 'media_use', key: 'use_id' },
  {
    /** `<file>/<post>` */
    use_id: text(),
    media_id: text(),
    post_id: text(),
    /** Number of the post's publications that still need its files. */
    open: int(),
    /** Time of the latest event about the post. */
    last_event_at: bigint(),
  },
);
/** A row of {@link mediaUseRows}. */
export type MediaUseRow = RowOfTable<typeof mediaUseRows>;

/** Where the events of posts are of which the rows have left (D-101). */
export const archivedPostRows = defineTable(
  { name: 'archived_post', key: 'post_id' },
  { post_id: text(), stream: text(), revision: text() },
);

/** The publications of these posts, with what their events do not tell. */
export const archivedPublicationRows = defineTable(
  { name: 'archived_publication', key: 'publication_id' },
  { publication_id: text(), post_id: text(), sequence: nullable(bigint()) },
);

/** One row: posts that were accepted before this time may have left; no row if none has. */
export const horizonRows = defineTable({ name: 'horizon', key: 'name' }, { name: text(), before: bigint() });

/** Each channel's latest sequence number (D-37). */
export const sequenceRows = defineTable(
  { name: 'sequence', key: 'channel_id', fillfactor: 50 },
  { channel_id: text(), last: bigint() },
);
/** A row of {@link sequenceRows}. */
export type SequenceRow = RowOfTable<typeof sequenceRows>;

/** Owners' current plans, used to fill in a month's `plan`. */
export const ownerPlanRows = defineTable(
  { name: 'owner_plan', key: 'owner_id' },
  { owner_id: text(), plan: text<Plan>() },
);
/** A row of {@link ownerPlanRows}. */
export type OwnerPlanRow = RowOfTable<typeof ownerPlanRows>;

/** Publication counts by owner and month. */
export const usageRows = defineTable(
  { name: 'usage', key: 'owner_month', fillfactor: 50 },
  {
    /** `<owner>/<month>` */
    owner_month: text(),
    owner_id: text(),
    /** UTC: `2026-11`. */
    month: text(),
    published: int(),
    /** The largest plan that the owner published under in that month. */
    plan: nullable(text<Plan>()),
    /** Id of the event that recorded the latest counted publication. */
    last_event: text(),
  },
);
/** A row of {@link usageRows}. */
export type UsageRow = RowOfTable<typeof usageRows>;

/**
 * Tables of posts, their publications, and the number of posts that each owner has published. Times are milliseconds
 * since 1970.
 *
 * No index on `publication` includes columns that change during a successful publication, not even in its condition. A
 * state change is therefore a heap-only update, which stays on the row's page and changes no index. `settled` is the
 * state of publications that are planned or ended without success; it changes once, on release.
 */
export const postsTables = `
  ${postRows.ddl}

  ${postWordRows.ddl}

  ${publicationRows.ddl}
  create index publication_planned on publication (post_id) where settled = 'planned';

  ${mediaUseRows.ddl}
  create index media_use_post on media_use (post_id);
  create index media_use_last on media_use (media_id, last_event_at);
  create index media_use_open on media_use (media_id, post_id) where open > 0;

  ${archivedPostRows.ddl}
  ${archivedPublicationRows.ddl}
  ${horizonRows.ddl}

  ${sequenceRows.ddl}

  ${ownerPlanRows.ddl}
  ${usageRows.ddl}
  create index usage_owner on usage (owner_id, month);
`;

/** Indexes that an erasure and a move of the horizon need too. */
export const OWNER_INDEX = 'create index if not exists post_owner on post (owner_id, post_id);';
export const POST_INDEX = 'create index if not exists publication_post on publication (post_id);';

/**
 * Indexes for readers. The index for a list ends with the list's sort key, so a page can start where the previous page
 * ended.
 */
export const postsReadIndexes = `
  create index if not exists post_endpoint on post (endpoint_id, post_id);
  ${OWNER_INDEX}
  create index if not exists post_words_found on post_words using gin (words);
  create index if not exists post_posted_by on post (posted_by, post_id) where posted_by not like 'endpoint:%';
  create index if not exists post_decided_by on post (${DECIDED_BY('')}, post_id) where approval is not null;
  create index if not exists post_external on post (external_id, post_id) where external_id is not null;
  create index if not exists post_trace on post (${INDEXED_TRACE_ID('trace_id')}, post_id) where trace_id is not null;
  create index if not exists post_planned on post (publish_at, post_id) where publish_at is not null or is_planned;
  create index if not exists post_planned_owner on post (owner_id, publish_at, post_id)
    where publish_at is not null or is_planned;
  create index if not exists post_pending on post (pending_since, post_id) where pending_since is not null;
  create index if not exists post_pending_owner on post (owner_id, pending_since, post_id) where pending_since is not null;
  create index if not exists post_planned_endpoint on post (endpoint_id, publish_at, post_id) where is_planned;
  ${POST_INDEX}
  create index if not exists publication_channel on publication (channel_id, sequence);
  create index if not exists publication_channel_post on publication (channel_id, post_id);
  create index if not exists publication_project_post on publication (project_id, post_id);
  create index if not exists publication_settled on publication (settled, post_id) where settled is not null;
  create index if not exists publication_withdrawal on publication (owner_id, post_id)
    where settled in ('withdrawing', 'withdraw_failed');
  create index if not exists publication_edit_failed on publication (edit_failed_since, publication_id)
    where edit_failed_since is not null;
  create index if not exists publication_duplicate on publication (duplicate_since, publication_id)
    where duplicate_since is not null;
`;
