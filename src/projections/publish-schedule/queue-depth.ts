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
