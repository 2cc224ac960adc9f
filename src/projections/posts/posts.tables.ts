import type { PublicationError, PublicationWarning } from '../../domain/publication/publication.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { RowTable } from '../engine/rows.js';

/**
 * Posts, their publications, and how many each owner has had published. Times are milliseconds since 1970.
 *
 * No index of `publication` holds what its usual life changes, not in a condition either: so a new state is written into
 * the page where the row lies and touches no index. `settled` is the state of those that ended otherwise.
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
    in_parts boolean not null
  );
  create index post_endpoint on post (endpoint_id, post_id);
  create index post_owner on post (owner_id, post_id);

  create table publication (
    publication_id text primary key,
    post_id text not null,
    owner_id text not null,
    channel_id text not null,
    project_id text not null,
    platform text not null,
    sequence bigint not null,
    state text not null,
    attempts jsonb not null,
    message_ids jsonb not null,
    urls jsonb not null,
    warnings jsonb not null,
    published_at bigint,
    settled text generated always as
      (case when state not in ('queued', 'publishing', 'published') then state end) stored
  ) with (fillfactor = 60);
  create index publication_post on publication (post_id);
  create index publication_channel on publication (channel_id, sequence);
  create index publication_channel_post on publication (channel_id, post_id);
  create index publication_settled on publication (settled, post_id) where settled is not null;

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

/** management-api.md: publication. */
export const PUBLICATION_STATES = [
  'queued',
  'publishing',
  'published',
  'failed',
  'in_doubt',
  'filtered',
  'dismissed',
] as const;
/** Name of a state. */
export type PublicationViewState = (typeof PUBLICATION_STATES)[number];

/** One try at publishing, as management-api.md shows it. */
export interface Attempt {
  readonly n: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  /** `published`, `postponed`, `failed`, `in_doubt`; null while it lasts. */
  readonly outcome: string | null;
  readonly error: PublicationError | null;
}

/** A publication as it stands. Times are milliseconds since 1970. */
export interface PublicationRow {
  readonly publication_id: string;
  readonly post_id: string;
  readonly owner_id: string;
  readonly channel_id: string;
  readonly project_id: string;
  readonly platform: string;
  readonly sequence: number;
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
  /** Where the accepting event lies, and with it the payload. */
  readonly stream: string;
  readonly revision: string;
  readonly accepted_at: number;
  readonly external_id: string | null;
  readonly trace_id: string | null;
  /** JSON text, as it was sent; jsonb would reorder and round it. Null where there is none, or where `in_parts`. */
  readonly metadata: string | null;
  /** The payload lies in parts (D-42), and its metadata with it. */
  readonly in_parts: boolean;
}

/** The latest number that was given to a publication of a channel (D-37). */
export interface SequenceRow {
  readonly channel_id: string;
  readonly last: number;
}

/** An owner’s plan, by which its month is judged. */
export interface OwnerPlanRow {
  readonly owner_id: string;
  readonly plan: Plan;
}

/** What an owner has had published in one month. */
export interface UsageRow {
  /** `<owner>/<month>` */
  readonly owner_month: string;
  readonly owner_id: string;
  /** UTC: `2026-11`. */
  readonly month: string;
  readonly published: number;
  /** The largest plan under which something was published in that month. */
  readonly plan: Plan | null;
  /** The event of the latest publication that counted. */
  readonly last_event: string;
}

/** How posts are written. */
export const postRows: RowTable<PostRow> = {
  name: 'post',
  key: 'post_id',
  columns: [
    ...(['post_id', 'endpoint_id', 'owner_id', 'stream', 'revision', 'accepted_at', 'external_id'] as const),
    ...(['trace_id', 'metadata', 'in_parts'] as const),
  ],
};

/** Where a publication comes from and goes to. */
const ORIGIN = ['post_id', 'owner_id', 'channel_id', 'project_id', 'platform', 'sequence'] as const;

/** How publications are written. */
export const publicationRows: RowTable<PublicationRow> = {
  name: 'publication',
  key: 'publication_id',
  columns: [
    ...ORIGIN,
    ...(['publication_id', 'state', 'attempts', 'message_ids', 'urls', 'warnings', 'published_at'] as const),
  ],
  fixed: ORIGIN,
};

/** How channels’ latest numbers are written. */
export const sequenceRows: RowTable<SequenceRow> = {
  name: 'sequence',
  key: 'channel_id',
  columns: ['channel_id', 'last'],
};

/** How owners’ plans are written. */
export const ownerPlanRows: RowTable<OwnerPlanRow> = {
  name: 'owner_plan',
  key: 'owner_id',
  columns: ['owner_id', 'plan'],
};

/** How months are written. */
export const usageRows: RowTable<UsageRow> = {
  name: 'usage',
  key: 'owner_month',
  columns: ['owner_month', 'owner_id', 'month', 'published', 'plan', 'last_event'],
};
