import type { PostponeRule } from '../../domain/publication/publication.events.js';
import type { RowTable } from '../engine/rows.js';
import { readSchema } from '../engine/projection.js';

/** Version of the tables and of the code that fills them; a change of either raises it (ADR-101). */
export const SCHEDULE_VERSION = 9;

/** Schema of the views that queries read: the columns are those of this version. */
export const SCHEDULE = readSchema('publish-schedule', SCHEDULE_VERSION);

/**
 * Tables of the publish schedule. Times are milliseconds since 1970; 0 means that there is none.
 *
 * A project's pause is one row, to which the posts that it delays refer, and each channel has one row for all of its
 * publications that the same pause delays. A pause that is set, extended or lifted therefore writes no publication
 * (ADR-99). A publication that has started refers to no pause any more: no later change of the pause concerns it.
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
    project_pause_id text,
    waited_until bigint not null,
    state text not null,
    attempt int not null,
    retry_at bigint not null,
    retry_rule text,
    retry_event text,
    waits boolean not null generated always as (state in ('queued', 'publishing')) stored
  ) with (fillfactor = 60);
  create index publication_queue on publication (channel_id, sequence) where waits and project_pause_id is null;
  create index publication_paused on publication (project_pause_id, channel_id, sequence)
    where project_pause_id is not null;
  create index publication_post on publication (post_id);
  create index publication_quota on publication (owner_id) where retry_rule = 'quota';

  create table channel (
    channel_id text primary key,
    platform text not null,
    owner_id text not null,
    enabled boolean not null,
    deleted boolean not null,
    last_sequence bigint not null,
    first_waiting bigint not null,
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
    pause_id text
  );

  create table project_pause (
    pause_id text primary key,
    project_id text not null,
    ends_at bigint not null,
    event_id text not null
  );

  create table paused_queue (
    channel_id text not null,
    pause_id text not null,
    first_sequence bigint not null,
    waiting bigint not null,
    primary key (pause_id, channel_id)
  ) with (fillfactor = 50);
  create index paused_queue_channel on paused_queue (channel_id, first_sequence);

  create table owner (
    owner_id text primary key,
    revision text not null
  );

  create view scheduled_publication as
    select p.*, coalesce(o.ends_at, p.waited_until) as not_before, o.event_id as project_pause_event
    from publication p left join project_pause o on o.pause_id = p.project_pause_id;
`;

/** The row of a publication that has not ended: queued, being published, or awaiting the owner's decision. */
export interface PublicationRow {
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
  /** The project's pause during which it was accepted; null: none, or its first attempt has begun (D-21). */
  readonly project_pause_id: string | null;
  /** End of the project's pause that has delayed it, known once its first attempt has begun; 0: none. */
  readonly waited_until: number;
  readonly state: 'queued' | 'publishing' | 'failed' | 'in_doubt';
  readonly attempt: number;
  readonly retry_at: number;
  readonly retry_rule: PostponeRule | 'quota' | null;
  readonly retry_event: string | null;
}

/** A publication as readers see it, with the project's pause that delays it. */
export interface ScheduledPublication extends PublicationRow {
  /** End of the project's pause during which it was accepted; 0: none (D-21). */
  readonly not_before: number;
  /** Id of the event that set the end of that pause; null if no pause delays it, or its first attempt has begun. */
  readonly project_pause_event: string | null;
}

/** A channel and the moments that hold its queue back. */
export interface ScheduledChannel {
  readonly channel_id: string;
  readonly platform: string;
  readonly owner_id: string;
  readonly enabled: boolean;
  /** True: its publications are due at once, so that a worker cancels what was accepted meanwhile. */
  readonly deleted: boolean;
  readonly last_sequence: number;
  /** No publication with a lower sequence waits, except those that a project's pause delays; see {@link firstWaitingOf}. */
  readonly first_waiting: number;
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

/** A project that has been paused. */
export interface ScheduledProject {
  readonly project_id: string;
  /** Its latest pause, which may have ended by itself; null: that pause was lifted. */
  readonly pause_id: string | null;
}

/** A time in which a project is paused. It is kept while it is the project's latest one, or a publication refers to it. */
export interface ProjectPause {
  /** Id of the event that began it. */
  readonly pause_id: string;
  readonly project_id: string;
  readonly ends_at: number;
  /** Id of the event that set `ends_at`: the pause, its latest extension, or its lifting. */
  readonly event_id: string;
}

/** An owner whose plan or post packs have changed. */
export interface ScheduledOwner {
  readonly owner_id: string;
  /** Revision of the latest such change in the owner's stream. */
  readonly revision: string;
}

/** Steps of {@link ScheduledChannel.first_waiting}: it is not written for each publication. */
const WAITING_STEP = 32;

/** Returns the lower bound that is stored for the first sequence that waits. It depends on nothing else (as a rebuild must). */
export const firstWaitingOf = (sequence: number): number => sequence - ((sequence - 1) % WAITING_STEP);

/** Returns the row of a channel without events: enabled, not paused, with an empty queue. */
export const newChannelRow = (channelId: string, platform: string, ownerId: string): ScheduledChannel => ({
  channel_id: channelId,
  platform,
  owner_id: ownerId,
  enabled: true,
  deleted: false,
  last_sequence: 0,
  first_waiting: 1,
  paused_until: 0,
  pause_end: 0,
  pause_event: null,
  attention_until: 0,
  attention_event: null,
  last_backlog_at: 0,
  next_due: null,
});

/** Columns that never change: the origin and the destination of a publication. */
const ORIGIN = [
  ...(['post_id', 'post_stream', 'post_revision', 'channel_id', 'project_id', 'owner_id'] as const),
  ...(['platform', 'sequence', 'accepted_at'] as const),
] as const;

/** Definition of the table of publications. */
export const publicationRows: RowTable<PublicationRow> = {
  name: 'publication',
  key: 'publication_id',
  columns: [
    ...ORIGIN,
    ...(['publication_id', 'project_pause_id', 'waited_until'] as const),
    ...(['state', 'attempt', 'retry_at', 'retry_rule', 'retry_event'] as const),
  ],
  fixed: ORIGIN,
  types: {
    ...({ publication_id: 'text', post_id: 'text', post_stream: 'text', post_revision: 'text' } as const),
    ...({ channel_id: 'text', project_id: 'text', owner_id: 'text', platform: 'text', sequence: 'bigint' } as const),
    ...({ accepted_at: 'bigint', project_pause_id: 'text', waited_until: 'bigint', state: 'text' } as const),
    ...({ attempt: 'int', retry_at: 'bigint', retry_rule: 'text', retry_event: 'text' } as const),
  },
};

/** Definition of the table of channels. */
export const scheduledChannels: RowTable<ScheduledChannel> = {
  name: 'channel',
  key: 'channel_id',
  columns: [
    'channel_id',
    'platform',
    'owner_id',
    'enabled',
    'deleted',
    'last_sequence',
    'first_waiting',
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
  columns: ['project_id', 'pause_id'],
};

/** Definition of the table of projects' pauses. */
export const projectPauses: RowTable<ProjectPause> = {
  name: 'project_pause',
  key: 'pause_id',
  columns: ['pause_id', 'project_id', 'ends_at', 'event_id'],
  fixed: ['project_id'],
};

/** Definition of the table of owners. */
export const scheduledOwners: RowTable<ScheduledOwner> = {
  name: 'owner',
  key: 'owner_id',
  columns: ['owner_id', 'revision'],
};
