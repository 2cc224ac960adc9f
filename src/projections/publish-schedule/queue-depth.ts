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
