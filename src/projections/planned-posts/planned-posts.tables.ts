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
export const PLANNED_POSTS_VERSION = 4;
export const PLANNED_POSTS = readSchema('planned-posts', PLANNED_POSTS_VERSION);

/** SQL: a trigger that counts planned posts when a statement adds or removes rows, so reads are cheap (ADR-90). */
const counter = (name: string, event: 'insert' | 'delete', rows: string, sign: '+' | '-'): string => `
  create function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    update planned_count set posts = posts ${sign} (select count(*) from changed);
    return null;
  end $$;
  create trigger ${name} after ${event} on planned_post
    referencing ${rows} table as changed for each statement execute function ${name}();`;

export const plannedPostRows = defineTable(
  {
    name: 'planned_post',
    key: 'post_id',
    computed: [
      'due_at bigint generated always as (case when is_pending or is_held then null else coalesce(publish_at, 0) end) stored',
    ],
    isHot: true,
  },
  {
    post_id: text(),
    endpoint_id: fixed(text()),
    owner_id: fixed(text()),
    /** Stream and revision of the event that accepted it. */
    stream: fixed(text()),
    revision: fixed(text()),
    /** Position of that event, zero-padded so that it sorts numerically. */
    accepted_position: fixed(text()),
    /** Null if none was given. */
    publish_at: nullable(bigint()),
    /** True while it is waiting for approval. */
    is_pending: boolean(),
    /** How many publications its release will queue. */
    targets: int(),
    /** True while it is held because events were lost (D-80). */
    is_held: boolean(),
  },
);
/** A row of {@link plannedPostRows}. */
export type PlannedPostRow = RowOfTable<typeof plannedPostRows>;

/**
 * Owners of planned posts: how many they have (D-79), and the place of the first post that will become due without a
 * person's decision, in the order of release (D-60). The saga finds the owners that have due posts here, however many
 * posts each has.
 */
export const plannedOwnerRows = defineTable(
  { name: 'planned_owner', key: 'owner_id', fillfactor: 50 },
  {
    owner_id: text(),
    posts: int(),
    /** Null if all posts wait for approval or are held. */
    due_at: nullable(bigint()),
    accepted_position: nullable(text()),
  },
);
/** A row of {@link plannedOwnerRows}. */
export type PlannedOwnerRow = RowOfTable<typeof plannedOwnerRows>;

/** SQL: the channels or projects of a column of targets, as a JSON list. The indexes have the same expression. */
export const idsOfTargets = (field: 'channelId' | 'projectId', column = 'targets'): string =>
  `jsonb_path_query_array(${column}, '$[*].${field}')`;

/**
 * Tables of planned posts (D-58). Times are milliseconds since 1970. A row is deleted when its post is released,
 * rejected or cancelled.
 */
export const plannedPostsTables = `
  ${plannedPostRows.ddl}
  create index planned_post_due on planned_post (owner_id, due_at, accepted_position) where due_at is not null;
  create index planned_post_owner on planned_post (owner_id);
  create index planned_post_held on planned_post (post_id) where is_held;
  create index planned_post_endpoint on planned_post (endpoint_id);

  ${plannedOwnerRows.ddl}
  create index planned_owner_due on planned_owner (due_at) where due_at is not null;

  ${plannedTargetRows.ddl}
  create index planned_target_channel on planned_target using gin ((${idsOfTargets('channelId')}) jsonb_path_ops);
  create index planned_target_project on planned_target using gin ((${idsOfTargets('projectId')}) jsonb_path_ops);

  create table planned_count (id boolean primary key default true, posts bigint not null);
  insert into planned_count (posts) values (0);
  ${counter('count_planned', 'insert', 'new', '+')}
  ${counter('count_unplanned', 'delete', 'old', '-')}
`;
