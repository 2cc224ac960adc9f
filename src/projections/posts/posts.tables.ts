import type { PublicationError, PublicationWarning } from '../../domain/publication/publication.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { RowTable } from '../engine/rows.js';
import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const POSTS_VERSION = 6;

/** Schema of the views that queries read: the columns are those of this version. */
export const POSTS = readSchema('posts', POSTS_VERSION);

/**
 * Returns the SQL of the part of a `trace_id` that is indexed: its beginning. An entry of an index has at most 2,704 bytes, and a
 * `trace_id` up to 4,096.
 */
export const INDEXED_TRACE_ID = (column: string): string => `left(${column}, 128)`;

/**
 * Tables of posts, their publications, and the number of posts that each owner has published. Times are milliseconds
 * since 1970.
 *
 * No index of `publication` contains columns that a publication without failures changes, not even in its condition, so
 * that a new state is a heap-only update: it stays in the row's page and changes no index. `settled` is the state of
 * publications that ended in another way.
 */
export const postsTables = `
  create table post (
    post_id text primary key,
    endpoint_id text not null,
    owner_id text not null,
    stream text not null,
    revision text not null,
    accepted_at bigint not null,
    external_id text,
    trace_id text,
    metadata text,
    in_parts boolean not null,
    excerpt text,
    media_count int
  );

  create table publication (
    publication_id text primary key,
    post_id text not null,
    owner_id text not null,
    channel_id text not null,
    project_id text not null,
    platform text not null,
    sequence bigint not null,
    place int not null,
    state text not null,
    attempts jsonb not null,
    message_ids jsonb not null,
    urls jsonb not null,
    warnings jsonb not null,
    published_at bigint,
    settled text generated always as
      (case when state not in ('queued', 'publishing', 'published') then state end) stored
  ) with (fillfactor = 60);

  create table sequence (channel_id text primary key, last bigint not null) with (fillfactor = 50);

  create table owner_plan (owner_id text primary key, plan text not null);
  create table usage (
    owner_month text primary key,
    owner_id text not null,
    month text not null,
    published int not null,
    plan text,
    last_event text not null
  ) with (fillfactor = 50);
  create index usage_owner on usage (owner_id, month);
`;

/** Indexes for readers. Each ends with the order of a list, so that a page is read from where the former one ended. */
export const postsReadIndexes = `
  create index if not exists post_endpoint on post (endpoint_id, post_id);
  create index if not exists post_owner on post (owner_id, post_id);
  create index if not exists post_external on post (external_id, post_id) where external_id is not null;
  create index if not exists post_trace on post (${INDEXED_TRACE_ID('trace_id')}, post_id) where trace_id is not null;
  create index if not exists publication_post on publication (post_id);
  create index if not exists publication_channel on publication (channel_id, sequence);
  create index if not exists publication_channel_post on publication (channel_id, post_id);
  create index if not exists publication_project_post on publication (project_id, post_id);
  create index if not exists publication_settled on publication (settled, post_id) where settled is not null;
`;

/** States of a publication (management-api.md: publication). */
export const PUBLICATION_STATES = [
  'queued',
  'publishing',
  'published',
  'failed',
  'in_doubt',
  'filtered',
  'dismissed',
] as const;
/** State of a publication. */
export type PublicationViewState = (typeof PUBLICATION_STATES)[number];

/** An attempt at publishing, as in management-api.md. */
export interface Attempt {
  readonly n: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  /** `published`, `postponed`, `failed`, `in_doubt`; null while it lasts. */
  readonly outcome: string | null;
  readonly error: PublicationError | null;
}

/** A publication. Times are milliseconds since 1970. */
export interface PublicationRow {
  readonly publication_id: string;
  readonly post_id: string;
  readonly owner_id: string;
  readonly channel_id: string;
  readonly project_id: string;
  readonly platform: string;
  readonly sequence: number;
  /** Place among the publications of its post, from 0 (D-57). */
  readonly place: number;
  readonly state: PublicationViewState;
  readonly attempts: readonly Attempt[];
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  readonly warnings: readonly PublicationWarning[];
  readonly published_at: number | null;
}

/** An accepted post, without its payload. */
export interface PostRow {
  readonly post_id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  /** Stream of the event that accepted the post and contains its payload. */
  readonly stream: string;
  readonly revision: string;
  readonly accepted_at: number;
  readonly external_id: string | null;
  readonly trace_id: string | null;
  /** JSON text as it was sent, as jsonb would reorder keys and round numbers. Null if there is none, or if `in_parts`. */
  readonly metadata: string | null;
  /** True if the payload, including its metadata, is stored in parts (D-42). */
  readonly in_parts: boolean;
  /** The beginning of the text; null without a text, or if `in_parts`. */
  readonly excerpt: string | null;
  /** Null if `in_parts`. */
  readonly media_count: number | null;
}

/** The latest sequence number of a channel's publications (D-37). */
export interface SequenceRow {
  readonly channel_id: string;
  readonly last: number;
}

/** An owner's current plan, by which its month counts. */
export interface OwnerPlanRow {
  readonly owner_id: string;
  readonly plan: Plan;
}

/** An owner's publications of one month. */
export interface UsageRow {
  /** `<owner>/<month>` */
  readonly owner_month: string;
  readonly owner_id: string;
  /** UTC: `2026-11`. */
  readonly month: string;
  readonly published: number;
  /** The largest plan under which something was published in that month. */
  readonly plan: Plan | null;
  /** Id of the event of the latest publication that counted. */
  readonly last_event: string;
}

/** Definition of the table of posts. */
export const postRows: RowTable<PostRow> = {
  name: 'post',
  key: 'post_id',
  columns: [
    ...(['post_id', 'endpoint_id', 'owner_id', 'stream', 'revision', 'accepted_at', 'external_id'] as const),
    ...(['trace_id', 'metadata', 'in_parts', 'excerpt', 'media_count'] as const),
  ],
  types: {
    ...({ post_id: 'text', endpoint_id: 'text', owner_id: 'text', stream: 'text', revision: 'text' } as const),
    ...({
      accepted_at: 'bigint',
      external_id: 'text',
      trace_id: 'text',
      metadata: 'text',
      in_parts: 'boolean',
      excerpt: 'text',
      media_count: 'int',
    } as const),
  },
};

/** Columns that never change: the origin and the destination of a publication. */
const ORIGIN = ['post_id', 'owner_id', 'channel_id', 'project_id', 'platform', 'sequence', 'place'] as const;

/** Definition of the table of publications. */
export const publicationRows: RowTable<PublicationRow> = {
  name: 'publication',
  key: 'publication_id',
  columns: [
    ...ORIGIN,
    ...(['publication_id', 'state', 'attempts', 'message_ids', 'urls', 'warnings', 'published_at'] as const),
  ],
  fixed: ORIGIN,
  types: {
    ...({ publication_id: 'text', post_id: 'text', owner_id: 'text', channel_id: 'text', project_id: 'text' } as const),
    ...({ platform: 'text', sequence: 'bigint', place: 'int', state: 'text', attempts: 'jsonb' } as const),
    ...({ message_ids: 'jsonb', urls: 'jsonb', warnings: 'jsonb', published_at: 'bigint' } as const),
  },
};

/** Definition of the table of sequence numbers. */
export const sequenceRows: RowTable<SequenceRow> = {
  name: 'sequence',
  key: 'channel_id',
  columns: ['channel_id', 'last'],
};

/** Definition of the table of owners' plans. */
export const ownerPlanRows: RowTable<OwnerPlanRow> = {
  name: 'owner_plan',
  key: 'owner_id',
  columns: ['owner_id', 'plan'],
};

/** Definition of the table of monthly usage. */
export const usageRows: RowTable<UsageRow> = {
  name: 'usage',
  key: 'owner_month',
  columns: ['owner_month', 'owner_id', 'month', 'published', 'plan', 'last_event'],
};
