import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const ACTIVITY_VERSION = 1;

/** Schema of the views that queries read: the columns are those of this version. */
export const ACTIVITY = readSchema('activity', ACTIVITY_VERSION);

/** Stands for the sum of all owners, where a row belongs to an owner. */
export const ALL_OWNERS = '*';

/**
 * Tables of the overview (ADR-204). Times are milliseconds since 1970.
 *
 * `publication` has the publications that have not ended, and `standing` their numbers by owner and network. No index contains a
 * column that a start changes, so that a start is a heap-only update. `minute` and `ten_minutes` are rings: a later time takes the
 * row of an earlier one, so that their size does not grow. `feed` is a ring too: the latest events of an owner. `alert` has what
 * has stopped by something other than its owner. Rows of {@link ALL_OWNERS} have the sum of all owners.
 */
export const activityTables = `
  create table resource (
    resource_id text primary key,
    owner_id text not null,
    platform text,
    is_deleted boolean not null
  );

  create table publication (
    publication_id text primary key,
    post_id text not null,
    owner_id text not null,
    channel_id text not null,
    platform text not null,
    accepted_at bigint not null,
    state text not null,
    retry_rule text,
    retry_at bigint not null,
    settled_at bigint,
    waits boolean not null generated always as (state in ('queued', 'publishing')) stored,
    settled text generated always as (case when state in ('failed', 'in_doubt') then state end) stored
  ) with (fillfactor = 70);
  create index publication_owner_waiting on publication (owner_id, platform, accepted_at) where waits;
  create index publication_waiting on publication (platform, accepted_at) where waits;
  create index publication_owner_settled on publication (owner_id, settled, settled_at, publication_id)
    where settled is not null;
  create index publication_settled on publication (settled, settled_at, publication_id) where settled is not null;
  create index publication_owner_postponed on publication (owner_id, platform, retry_rule, retry_at)
    where retry_rule is not null;
  create index publication_postponed on publication (platform, retry_rule, retry_at) where retry_rule is not null;

  create table standing (
    standing_key text primary key,
    owner_id text not null,
    platform text not null,
    queued bigint not null,
    publishing bigint not null,
    failed bigint not null,
    in_doubt bigint not null,
    last_published_at bigint,
    waits boolean not null generated always as (queued > 0) stored
  ) with (fillfactor = 50);
  create index standing_owner on standing (owner_id);
  create index standing_waiting on standing (owner_id) where waits;

  create table minute (
    minute_key text primary key,
    owner_id text not null,
    platform text not null,
    at bigint not null,
    published int not null,
    failed int not null,
    in_doubt int not null,
    refused int not null,
    latencies jsonb not null
  ) with (fillfactor = 50);
  create index minute_owner on minute (owner_id, at);

  create table ten_minutes (
    ten_minutes_key text primary key,
    owner_id text not null,
    at bigint not null,
    events int not null,
    failed int not null,
    in_doubt int not null
  ) with (fillfactor = 50);
  create index ten_minutes_owner on ten_minutes (owner_id, at);

  create table feed (
    feed_key text primary key,
    owner_id text not null,
    number bigint not null,
    at bigint not null,
    kind text not null,
    subject_id text not null,
    post_id text,
    platform text
  ) with (fillfactor = 50);
  create table feed_end (owner_id text primary key, entries bigint not null) with (fillfactor = 50);

  create table alert (
    resource_id text primary key,
    kind text not null,
    owner_id text not null,
    since bigint not null,
    ends_at bigint,
    disabled_by text,
    reason text
  );
  create index alert_owner on alert (owner_id, kind, since);
  create index alert_kind on alert (kind, since);
`;

/** An owner, channel, project, endpoint or webhook output, and its owner. */
export interface ResourceRow {
  readonly resource_id: string;
  readonly owner_id: string;
  /** Null unless it is a channel. */
  readonly platform: string | null;
  readonly is_deleted: boolean;
}

/** States of a publication that has not ended. */
export type OpenState = 'queued' | 'publishing' | 'failed' | 'in_doubt';

/** A publication that has not ended: it waits, is being published, or its owner has to decide about it. */
export interface OpenPublicationRow {
  readonly publication_id: string;
  readonly post_id: string;
  readonly owner_id: string;
  readonly channel_id: string;
  readonly platform: string;
  readonly accepted_at: number;
  readonly state: OpenState;
  /** The rule of its latest postponement; null: it was not postponed since it was queued. */
  readonly retry_rule: string | null;
  readonly retry_at: number;
  /** Time since which it is failed or in doubt; null: it is not. */
  readonly settled_at: number | null;
}

/** Numbers of an owner's publications on one network that have not ended. */
export interface StandingRow {
  /** `<owner>/<network>` */
  readonly standing_key: string;
  readonly owner_id: string;
  readonly platform: string;
  readonly queued: number;
  readonly publishing: number;
  readonly failed: number;
  readonly in_doubt: number;
  readonly last_published_at: number | null;
}

/** Numbers of publications by the time in ms from acceptance to publication: `latencies` of a minute. */
export type Latencies = Readonly<Record<string, number>>;

/** An owner's events of one minute on one network. */
export interface MinuteRow {
  /** `<owner>/<network>/<place in the ring>` */
  readonly minute_key: string;
  readonly owner_id: string;
  readonly platform: string;
  /** Start of the minute. */
  readonly at: number;
  readonly published: number;
  readonly failed: number;
  readonly in_doubt: number;
  /** Attempts that the network refused. */
  readonly refused: number;
  readonly latencies: Latencies;
}

/** An owner's events of ten minutes. */
export interface TenMinutesRow {
  /** `<owner>/<place in the ring>` */
  readonly ten_minutes_key: string;
  readonly owner_id: string;
  /** Start of the ten minutes. */
  readonly at: number;
  readonly events: number;
  readonly failed: number;
  readonly in_doubt: number;
}

/** Kinds of entries of the feed. */
export type FeedKind =
  | 'publishing'
  | 'published'
  | 'postponed'
  | 'failed'
  | 'in_doubt'
  | 'filtered'
  | 'dismissed'
  | 'channel_needs_attention'
  | 'endpoint_disabled'
  | 'webhook_output_disabled';

/** One of an owner's latest events. */
export interface FeedRow {
  /** `<owner>/<place in the ring>` */
  readonly feed_key: string;
  readonly owner_id: string;
  /** Number of the entry among those of the owner, from 0. */
  readonly number: number;
  readonly at: number;
  readonly kind: FeedKind;
  /** The publication, channel, endpoint or webhook output. */
  readonly subject_id: string;
  readonly post_id: string | null;
  readonly platform: string | null;
}

/** The number of entries that an owner's feed has had. */
export interface FeedEndRow {
  readonly owner_id: string;
  readonly entries: number;
}

/** Kinds of resources that stop by something other than their owner. */
export type AlertKind = 'channel' | 'endpoint' | 'webhook_output';

/** A resource that has stopped by something other than its owner. */
export interface AlertRow {
  readonly resource_id: string;
  readonly kind: AlertKind;
  readonly owner_id: string;
  readonly since: number;
  /** Time until which it applies; null: until a person acts. */
  readonly ends_at: number | null;
  readonly disabled_by: string | null;
  readonly reason: string | null;
}
