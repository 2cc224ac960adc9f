import type { PostponeRule } from '../../domain/publication/publication.events.js';
import type { RowTable } from '../engine/rows.js';
import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const SCHEDULE_VERSION = 3;

/** Schema of the views that queries read: the columns are those of this version. */
export const SCHEDULE = readSchema('publish-schedule', SCHEDULE_VERSION);

/**
 * Tables of the publish schedule. Times are milliseconds since 1970; 0 means that there is none.
 *
 * No index of `publication` contains `state`, not even in its condition, so that a start is a heap-only update: it
 * stays in the row's page and changes no index. `waits` remains true until the publication has ended.
 */
export const scheduleTables = `
  create table publication (
    publication_id text primary key,
    post_id text not null,
    post_stream text not null,
    post_revision text not null,
    channel_id text not null,
    project_id text not null,
    owner_id text not null,
    platform text not null,
    sequence bigint not null,
    accepted_at bigint not null,
    not_before bigint not null,
    gate_event text,
    state text not null,
    attempt int not null,
    retry_at bigint not null,
    retry_rule text,
    retry_event text,
    waits boolean not null generated always as (state in ('queued', 'publishing')) stored
  ) with (fillfactor = 60);
  create index publication_queue on publication (channel_id, sequence) where waits;
  create index publication_held on publication (channel_id, not_before) where waits and not_before > 0;
  create index publication_gate on publication (project_id, not_before) where waits and not_before > 0;
  create index publication_post on publication (post_id);
  create index publication_quota on publication (owner_id) where retry_rule = 'quota';

  create table channel (
    channel_id text primary key,
    platform text not null,
    enabled boolean not null,
    last_sequence bigint not null,
    paused_until bigint not null,
    pause_end bigint not null,
    pause_event text,
    attention_until bigint not null,
    attention_event text,
    last_backlog_at bigint not null,
    next_due bigint
  ) with (fillfactor = 50);
  create index channel_next_due on channel (platform, next_due) where next_due is not null;

  create table project (
    project_id text primary key,
    paused_until bigint not null,
    pause_event text
  );

  create table owner (
    owner_id text primary key,
    revision text not null
  );
`;

/** A publication that has not ended: queued, being published, or awaiting the owner's decision. */
export interface ScheduledPublication {
  readonly publication_id: string;
  readonly post_id: string;
  readonly post_stream: string;
  readonly post_revision: string;
  readonly channel_id: string;
  readonly project_id: string;
  readonly owner_id: string;
  readonly platform: string;
  /** Gapless per channel, in the order of acceptance (D-37). */
  readonly sequence: number;
  readonly accepted_at: number;
  /** End of the project's pause during which it was accepted; 0: none (D-21). */
  readonly not_before: number;
  /** Id of the event that set `not_before`. */
  readonly gate_event: string | null;
  readonly state: 'queued' | 'publishing' | 'failed' | 'in_doubt';
  readonly attempt: number;
  readonly retry_at: number;
  readonly retry_rule: PostponeRule | 'quota' | null;
  readonly retry_event: string | null;
}

/** A channel and the moments that hold its queue back. */
export interface ScheduledChannel {
  readonly channel_id: string;
  readonly platform: string;
  readonly enabled: boolean;
  readonly last_sequence: number;
  /** End of the current pause; 0: none, or lifted. */
  readonly paused_until: number;
  /** Moment at which the latest pause ends or was lifted. Posts accepted before it that still wait are its backlog. */
  readonly pause_end: number;
  readonly pause_event: string | null;
  readonly attention_until: number;
  readonly attention_event: string | null;
  /** Start of the latest publication of a backlog, from which the interval to the next one counts (D-21). */
  readonly last_backlog_at: number;
  /** Earliest moment at which a worker may take up the channel's head; null: there is none, or the channel is disabled. */
  readonly next_due: number | null;
}

/** The pause of a project. */
export interface ScheduledProject {
  readonly project_id: string;
  readonly paused_until: number;
  readonly pause_event: string | null;
}

/** An owner whose plan or post packs have changed. */
export interface ScheduledOwner {
  readonly owner_id: string;
  /** Revision of the latest such change in the owner's stream. */
  readonly revision: string;
}

/** Returns the row of a channel without events: enabled, not paused, with an empty queue. */
export const newChannelRow = (channelId: string, platform: string): ScheduledChannel => ({
  channel_id: channelId,
  platform,
  enabled: true,
  last_sequence: 0,
  paused_until: 0,
  pause_end: 0,
  pause_event: null,
  attention_until: 0,
  attention_event: null,
  last_backlog_at: 0,
  next_due: null,
});

/**
 * SQL condition: a publication `p` belongs to a channel's queue at a moment, as no project's pause delays it. The first
 * by `sequence` is the channel's head.
 */
export const isInQueue = (channelId: string, now: string): string =>
  `p.channel_id = ${channelId} and p.waits and p.not_before <= ${now}`;

/** Columns that never change: the origin and the destination of a publication. */
const ORIGIN = [
  ...(['post_id', 'post_stream', 'post_revision', 'channel_id', 'project_id', 'owner_id'] as const),
  ...(['platform', 'sequence', 'accepted_at'] as const),
] as const;

/** Definition of the table of publications. */
export const scheduledPublications: RowTable<ScheduledPublication> = {
  name: 'publication',
  key: 'publication_id',
  columns: [
    ...ORIGIN,
    ...(['publication_id', 'not_before', 'gate_event'] as const),
    ...(['state', 'attempt', 'retry_at', 'retry_rule', 'retry_event'] as const),
  ],
  fixed: ORIGIN,
};

/** Definition of the table of channels. */
export const scheduledChannels: RowTable<ScheduledChannel> = {
  name: 'channel',
  key: 'channel_id',
  columns: [
    'channel_id',
    'platform',
    'enabled',
    'last_sequence',
    'paused_until',
    'pause_end',
    'pause_event',
    'attention_until',
    'attention_event',
    'last_backlog_at',
    'next_due',
  ],
};

/** Definition of the table of projects. */
export const scheduledProjects: RowTable<ScheduledProject> = {
  name: 'project',
  key: 'project_id',
  columns: ['project_id', 'paused_until', 'pause_event'],
};

/** Definition of the table of owners. */
export const scheduledOwners: RowTable<ScheduledOwner> = {
  name: 'owner',
  key: 'owner_id',
  columns: ['owner_id', 'revision'],
};
