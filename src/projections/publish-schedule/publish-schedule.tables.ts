import type { PostponeRule } from '../../domain/publication/publication.events.js';
import {
  bigint,
  boolean,
  defineTable,
  fixed,
  int,
  nullable,
  readSchema,
  type RowOfTable,
  text,
} from '../engine/projection.js';
import { plannedTargetRows } from '../planned-targets.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const SCHEDULE_VERSION = 15;
export const SCHEDULE = readSchema('publish-schedule', SCHEDULE_VERSION);

/** Publications that are queued, being published, or awaiting the owner's decision. */
export const publicationRows = defineTable(
  {
    name: 'publication',
    key: 'publication_id',
    computed: [`waits boolean not null generated always as (state in ('queued', 'publishing')) stored`],
    fillfactor: 60,
    isHot: true,
  },
  {
    publication_id: text(),
    post_id: fixed(text()),
    post_stream: fixed(text()),
    post_revision: fixed(text()),
    channel_id: fixed(text()),
    project_id: fixed(text()),
    owner_id: fixed(text()),
    platform: fixed(text()),
    /** Gapless per channel, in order of acceptance (D-37). */
    sequence: fixed(bigint()),
    accepted_at: fixed(bigint()),
    /** The project's pause during which it was accepted (D-21); null once its first attempt has begun. */
    project_pause_id: nullable(text()),
    /** End of that pause, once its first attempt has begun; 0 if there was none. */
    waited_until: bigint(),
    state: text<'queued' | 'publishing' | 'failed' | 'in_doubt'>(),
    attempt: int(),
    retry_at: bigint(),
    retry_rule: nullable(text<PostponeRule | 'quota'>()),
    retry_event: nullable(text()),
    /**
     * Position up to which its place in the queue is known to be right, zero-padded: that of the event that queued it.
     * A recovery holds what was queued before it (D-80).
     */
    queued_position: text(),
    /** True while it is in doubt because of a recovery. */
    is_restored: boolean(),
    /** True if it was taken back during its attempt: see {@link scheduledChanges}. */
    is_withdrawn: boolean(),
    /** True if its post was given new content since it was queued, so that its stream has events before an attempt. */
    is_edited: boolean(),
  },
);
/** A row of {@link publicationRows}. */
export type PublicationRow = RowOfTable<typeof publicationRows>;

/** What is the same of every publication that has just been queued. */
export const BEFORE_FIRST_ATTEMPT = {
  waited_until: 0,
  state: 'queued',
  attempt: 0,
  retry_at: 0,
  retry_rule: null,
  retry_event: null,
  is_restored: false,
  is_withdrawn: false,
  is_edited: false,
} as const satisfies Partial<PublicationRow>;

/** A publication as readers see it, with the project's pause that delays it. */
export interface ScheduledPublication extends PublicationRow {
  /** End of the project's pause during which it was accepted; 0 if there was none (D-21). */
  readonly not_before: number;
  /** Id of the event that set the end of that pause; null if no pause delays it, or its first attempt has begun. */
  readonly project_pause_event: string | null;
}

/** Channels and the times that hold their queues back. */
export const scheduledChannels = defineTable(
  { name: 'channel', key: 'channel_id', fillfactor: 50 },
  {
    channel_id: text(),
    platform: text(),
    owner_id: text(),
    enabled: boolean(),
    /** Publications of a deleted channel are due at once: a worker cancels them. */
    deleted: boolean(),
    last_sequence: bigint(),
    /**
     * No publication with a lower sequence is waiting, unless a project's pause delays it: see {@link firstWaitingOf}.
     */
    first_waiting: bigint(),
    /** End of the current pause; 0 if there is none or it was lifted. */
    paused_until: bigint(),
    /**
     * Time at which the latest pause ends or was lifted. Posts accepted earlier that are still waiting are its backlog.
     */
    pause_end: bigint(),
    pause_event: nullable(text()),
    attention_until: bigint(),
    attention_event: nullable(text()),
    /** Time at which the last backlog publication started; the next one waits a minute (D-21). */
    last_backlog_at: bigint(),
    /** Earliest time at which a worker may pick up its head; null if there is none, or the channel is disabled. */
    next_due: nullable(bigint()),
  },
);
/** A row of {@link scheduledChannels}. */
export type ScheduledChannel = RowOfTable<typeof scheduledChannels>;

/** Projects that have been paused. */
export const scheduledProjects = defineTable(
  { name: 'project', key: 'project_id' },
  {
    project_id: text(),
    /** Its latest pause, which may have expired; null if that pause was lifted. */
    pause_id: nullable(text()),
  },
);
/** A row of {@link scheduledProjects}. */
export type ScheduledProject = RowOfTable<typeof scheduledProjects>;

/** Project pauses. A pause is kept while it is the project's latest pause or delays a publication. */
export const projectPauses = defineTable(
  { name: 'project_pause', key: 'pause_id' },
  {
    /** Id of the event that began the pause. */
    pause_id: text(),
    project_id: fixed(text()),
    ends_at: bigint(),
    /** Id of the event that set `ends_at`: the pause, its latest extension, or its lifting. */
    event_id: text(),
  },
);
/** A row of {@link projectPauses}. */
export type ProjectPause = RowOfTable<typeof projectPauses>;

/** Owners whose plan or post packs have changed. */
export const scheduledOwners = defineTable(
  { name: 'owner', key: 'owner_id' },
  {
    owner_id: text(),
    /** Revision of the latest plan or pack change in the owner's stream. */
    revision: text(),
  },
);
/** A row of {@link scheduledOwners}. */
export type ScheduledOwner = RowOfTable<typeof scheduledOwners>;

/** Publications whose messages are being deleted, edited or pinned (D-69, D-72); they are in no channel's queue. */
export const scheduledChanges = defineTable(
  { name: 'change', key: 'publication_id', fillfactor: 50 },
  {
    publication_id: text(),
    post_id: text(),
    channel_id: text(),
    platform: text(),
    owner_id: text(),
    /** True if newer content is due. If neither this nor `pins` is true, the messages are deleted. */
    edits: boolean(),
    /** True if a message is to be pinned. */
    pins: boolean(),
    /** Time of the next try; null while an attempt to publish is under way. */
    next_due: nullable(bigint()),
  },
);
/** A row of {@link scheduledChanges}. */
export type ScheduledChange = RowOfTable<typeof scheduledChanges>;

/**
 * Tables of the publish schedule. Times are milliseconds since 1970; 0 means no time.
 *
 * A project's pause is a single row that the publications it delays refer to, and `paused_queue` has one row for all
 * publications of a channel delayed by the same pause. Setting, extending or lifting a pause therefore writes no
 * publication (ADR-99).
 *
 * No index on `publication` includes `state`, not even in its condition, so starting a publication is a heap-only
 * update, which stays on the row's page and changes no index.
 */
export const scheduleTables = `
  ${publicationRows.ddl}
  create index publication_queue on publication (channel_id, sequence) where waits and project_pause_id is null;
  create index publication_paused on publication (project_pause_id, channel_id, sequence)
    where project_pause_id is not null;
  create index publication_post on publication (post_id);
  create index publication_restored on publication (publication_id) where is_restored;
  create index publication_quota on publication (owner_id) where retry_rule = 'quota';

  ${scheduledChannels.ddl}
  create index channel_next_due on channel (platform, next_due) where next_due is not null;

  ${scheduledProjects.ddl}

  ${projectPauses.ddl}

  create table paused_queue (
    channel_id text not null,
    pause_id text not null,
    first_sequence bigint not null,
    waiting bigint not null,
    primary key (pause_id, channel_id)
  ) with (fillfactor = 50);
  create index paused_queue_channel on paused_queue (channel_id, first_sequence);

  ${scheduledOwners.ddl}

  ${scheduledChanges.ddl}
  create index change_next_due on change (platform, next_due) where next_due is not null;

  ${plannedTargetRows.ddl}

  create view scheduled_publication as
    select p.*, coalesce(o.ends_at, p.waited_until) as not_before, o.event_id as project_pause_event
    from publication p left join project_pause o on o.pause_id = p.project_pause_id;
`;

/** Granularity of {@link ScheduledChannel.first_waiting}, so that only some publications change the value. */
const WAITING_STEP = 32;

/**
 * Returns the lower bound to store for the first waiting sequence. It depends only on the sequence, so a rebuild yields
 * the same value.
 */
export const firstWaitingOf = (sequence: number): number => sequence - ((sequence - 1) % WAITING_STEP);

/** Returns the initial row of a channel: enabled, not paused, with an empty queue. */
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

const STATES = ['queued', 'publishing', 'failed', 'in_doubt'] as const;

/** SQL: adds changes to the counters. @param changes a query that returns `platform`, `state` and the change `n` */
const addCounts = (changes: string): string => {
  const sums = STATES.map((state) => `coalesce(sum(n) filter (where state = '${state}'), 0)`);
  return `insert into queue_depth as d (platform, ${STATES.join(', ')})
    select platform, ${sums.join(', ')} from (${changes}) c group by platform
    having (${sums.join(', ')}) <> (${STATES.map(() => 0).join(', ')})
    on conflict (platform) do update set ${STATES.map((state) => `${state} = d.${state} + excluded.${state}`).join(', ')}`;
};

/** SQL: a trigger that counts the rows of `publication` that a statement changes; for `changes` see {@link addCounts} */
const counter = (name: string, event: 'insert' | 'update' | 'delete', tables: string, changes: string): string => `
  create function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    ${addCounts(changes)};
    return null;
  end $$;
  create trigger ${name} after ${event} on publication
    referencing ${tables} for each statement execute function ${name}();`;

/**
 * DDL for publication counts by network and state. Triggers update the counts in the statements that change
 * `publication`, so reading the counts costs the same regardless of backlog (ADR-90). The schedule has one writer, so
 * the counters are never contended. A network has a row from its first channel on, no matter how the events were split
 * into batches, so a rebuild produces the same rows.
 */
export const queueDepthTables = `
  create table queue_depth (
    platform text primary key,
    queued bigint not null default 0,
    publishing bigint not null default 0,
    failed bigint not null default 0,
    in_doubt bigint not null default 0
  ) with (fillfactor = 20);

  create function add_network() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into queue_depth (platform) select distinct platform from added on conflict do nothing;
    return null;
  end $$;
  create trigger add_network after insert on channel
    referencing new table as added for each statement execute function add_network();

  ${counter('count_added', 'insert', 'new table as added', 'select platform, state, 1 as n from added')}
  ${counter('count_removed', 'delete', 'old table as removed', 'select platform, state, -1 as n from removed')}
  ${counter(
    'count_moved',
    'update',
    'old table as removed new table as added',
    'select platform, state, 1 as n from added union all select platform, state, -1 from removed',
  )}
`;

/**
 * Returns SQL that selects the first publications in a channel's queue at a given time, in order: waiting publications,
 * except those still delayed by a project's pause. The first is the channel's head.
 *
 * The cost does not grow with the number of delayed publications: the query reads the channel's undelayed queue and at
 * most `limit` queues of expired pauses, each from its beginning. It skips at most one queue of an active pause per
 * project.
 *
 * @param channelId, now SQL expressions
 * @param from SQL expression: the channel's `first_waiting`. Finished publications stay in the index while an old
 * snapshot is open (ADR-96); the read begins after them.
 * @param schema default: the schema of the search path
 */
export const selectQueue = (channelId: string, from: string, now: string, limit: number, schema?: string): string => {
  const tables = schema === undefined ? '' : `${schema}.`;
  return `
  select queue.* from (
    (select p.* from ${tables}scheduled_publication p
     where p.channel_id = ${channelId} and p.sequence >= ${from} and p.waits and p.project_pause_id is null
     order by p.sequence limit ${limit})
    union all
    select p.* from (
      select q.pause_id from ${tables}paused_queue q join ${tables}project_pause o on o.pause_id = q.pause_id
      where q.channel_id = ${channelId} and o.ends_at <= ${now}
      order by q.first_sequence limit ${limit}) ended
    cross join lateral (
      select * from ${tables}scheduled_publication p
      where p.project_pause_id = ended.pause_id and p.channel_id = ${channelId}
      order by p.sequence limit ${limit}) p
  ) queue order by queue.sequence limit ${limit}`;
};
