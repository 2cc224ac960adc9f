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
  text,
} from '../engine/projection.js';
import { plannedTargetRows } from '../planned-targets.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const ACTIVITY_VERSION = 5;
export const ACTIVITY = readSchema('activity', ACTIVITY_VERSION);

/** Owner id of the rows that hold the totals for all owners. */
export const ALL_OWNERS = '*';

/** State of an open publication. */
export type OpenState = 'queued' | 'publishing' | 'failed' | 'in_doubt';

/** Publication counts by latency class. Latency is the time from acceptance to publication. */
export type Latencies = Readonly<Record<string, number>>;

/** Type of feed entry. */
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

/** Type of resource that can be stopped by something other than its owner. */
export type AlertKind = 'channel' | 'endpoint' | 'webhook_output';

/** Owners, channels, projects, endpoints and webhook outputs, each with its owner. */
export const resourceRows = defineTable(
  { name: 'resource', key: 'resource_id' },
  {
    resource_id: text(),
    owner_id: text(),
    /** Null unless it is a channel. */
    platform: nullable(text()),
    is_deleted: boolean(),
  },
);
/** A row of {@link resourceRows}. */
export type ResourceRow = RowOfTable<typeof resourceRows>;

/** Publications that are queued, being published, or awaiting their owner's decision. */
export const openPublicationRows = defineTable(
  {
    name: 'publication',
    key: 'publication_id',
    computed: [
      `waits boolean not null generated always as (state in ('queued', 'publishing')) stored`,
      `settled text generated always as (case when state in ('failed', 'in_doubt') then state end) stored`,
    ],
    fillfactor: 70,
    isHot: true,
  },
  {
    publication_id: text(),
    post_id: fixed(text()),
    owner_id: fixed(text()),
    channel_id: fixed(text()),
    platform: fixed(text()),
    accepted_at: fixed(bigint()),
    state: text<OpenState>(),
    /** Rule that last postponed or held it since it was queued; null if none did, or if it failed or is in doubt; `withdrawn` if it was taken back while an attempt was under way. */
    retry_rule: nullable(text()),
    retry_at: bigint(),
    /**
     * Time at which it failed or became in doubt; null in other states, and if a recovery put it in doubt: all of these
     * are settled together (D-80).
     */
    settled_at: nullable(bigint()),
  },
);
/** A row of {@link openPublicationRows}. */
export type OpenPublicationRow = RowOfTable<typeof openPublicationRows>;

/** Counts of open publications by owner and network. */
export const standingRows = defineTable(
  {
    name: 'standing',
    key: 'standing_key',
    computed: ['waits boolean not null generated always as (queued > 0) stored'],
    fillfactor: 50,
  },
  {
    /** `<owner>/<network>` */
    standing_key: text(),
    owner_id: fixed(text()),
    platform: fixed(text()),
    queued: bigint(),
    publishing: bigint(),
    failed: bigint(),
    in_doubt: bigint(),
    last_published_at: nullable(bigint()),
  },
);
/** A row of {@link standingRows}. */
export type StandingRow = RowOfTable<typeof standingRows>;

export const minuteRows = defineTable(
  { name: 'minute', key: 'minute_key', fillfactor: 50 },
  {
    /** `<owner>/<network>/<position in the ring>` */
    minute_key: text(),
    owner_id: fixed(text()),
    platform: fixed(text()),
    /** Start of the minute. */
    at: bigint(),
    published: int(),
    failed: int(),
    in_doubt: int(),
    /** Attempts that the network refused. */
    refused: int(),
    latencies: jsonb<Latencies>(),
  },
);
/** A row of {@link minuteRows}. */
export type MinuteRow = RowOfTable<typeof minuteRows>;

export const tenMinutesRows = defineTable(
  { name: 'ten_minutes', key: 'ten_minutes_key', fillfactor: 50 },
  {
    /** `<owner>/<position in the ring>` */
    ten_minutes_key: text(),
    owner_id: fixed(text()),
    /** Start of the interval. */
    at: bigint(),
    events: int(),
    failed: int(),
    in_doubt: int(),
  },
);
/** A row of {@link tenMinutesRows}. */
export type TenMinutesRow = RowOfTable<typeof tenMinutesRows>;

export const feedRows = defineTable(
  { name: 'feed', key: 'feed_key', fillfactor: 50 },
  {
    /** `<owner>/<position in the ring>` */
    feed_key: text(),
    owner_id: fixed(text()),
    /** Index in its owner's feed, from 0. */
    number: bigint(),
    at: bigint(),
    kind: text<FeedKind>(),
    /** The publication, channel, endpoint or webhook output. */
    subject_id: text(),
    post_id: nullable(text()),
    platform: nullable(text()),
  },
);
/** A row of {@link feedRows}. */
export type FeedRow = RowOfTable<typeof feedRows>;

/** The number of entries ever added to each owner's feed. */
export const feedEndRows = defineTable(
  { name: 'feed_end', key: 'owner_id', fillfactor: 50 },
  { owner_id: text(), entries: bigint() },
);

/** The table of resources that something other than their owner has stopped. */
export const alertRows = defineTable(
  { name: 'alert', key: 'resource_id' },
  {
    resource_id: text(),
    kind: text<AlertKind>(),
    owner_id: text(),
    since: bigint(),
    /** Time at which the alert ends; null if it lasts until a person acts. */
    ends_at: nullable(bigint()),
    disabled_by: nullable(text()),
    reason: nullable(text()),
  },
);
/** A row of {@link alertRows}. */
export type AlertRow = RowOfTable<typeof alertRows>;

/**
 * Tables of the overview (ADR-204). Times are milliseconds since 1970.
 *
 * No index of `publication` contains a column that changes when publishing starts, so such a change is a heap-only
 * update. `minute` and `ten_minutes` count events, and `feed` holds each owner's latest events. These are rings: each
 * new interval or event reuses the row of an old one, so the tables do not grow.
 */
export const activityTables = `
  ${resourceRows.ddl}

  ${plannedTargetRows.ddl}

  ${openPublicationRows.ddl}
  create index publication_owner_waiting on publication (owner_id, platform, accepted_at) where waits;
  create index publication_waiting on publication (platform, accepted_at) where waits;
  create index publication_owner_settled on publication (owner_id, settled, settled_at, publication_id)
    where settled is not null;
  create index publication_settled on publication (settled, settled_at, publication_id) where settled is not null;
  create index publication_owner_postponed on publication (owner_id, platform, retry_rule, retry_at)
    where retry_rule is not null;
  create index publication_postponed on publication (platform, retry_rule, retry_at) where retry_rule is not null;

  ${standingRows.ddl}
  create index standing_owner on standing (owner_id);
  create index standing_waiting on standing (owner_id) where waits;

  ${minuteRows.ddl}
  create index minute_owner on minute (owner_id, at);

  ${tenMinutesRows.ddl}
  create index ten_minutes_owner on ten_minutes (owner_id, at);

  ${feedRows.ddl}
  ${feedEndRows.ddl}

  ${alertRows.ddl}
  create index alert_owner on alert (owner_id, kind, since);
  create index alert_kind on alert (kind, since);
`;
