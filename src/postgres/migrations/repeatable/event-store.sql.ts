import type { RepeatableMigration } from '../../migrations.js';

/** Namespace of the advisory locks under which events are appended. No other code uses it. */
const APPEND_LOCKS = 7002;

/** Name of the store, and of the function that checks its conditions. */
export interface EventStoreLocation {
  readonly schema: string;
  /**
   * Name of a function `(subjects text[], versions text[]) returns int[]` that checks the conditions of appends. It
   * returns the indexes, from 1, of the conditions that do not hold.
   */
  readonly conditions: string;
}

/**
 * Returns the SQL functions of an event store.
 *
 * `append_events` is a group commit. A transaction-level advisory lock makes positions gapless and in commit order,
 * across processes: the lock is released after the commit has become visible. The newest position is in a sequence, not
 * in a row: while another transaction, such as a running `pg_dump`, keeps old row versions, each update of a row is
 * slower than the one before (ADR-96). A sequence keeps its value when the transaction is rolled back, so it is
 * advanced last, when only the commit can still fail, which then leaves a gap. If events were restored without the
 * sequence, the newest event's position counts. There is no table of streams, because the unique index on stream and
 * revision suffices, and no index on event ids, because a conflict compares the ids at that revision. Either would cost
 * more than it is worth.
 */
export const eventStoreFunctions = ({ schema, conditions }: EventStoreLocation): string => `
-- Position of the newest event that is committed; 0 if there is none.
create or replace function ${schema}.head_position() returns bigint language plpgsql stable
  set enable_seqscan = off
as $$
begin
  return coalesce((select e.position from ${schema}.event e order by e.position desc limit 1), 0);
end $$;

-- Input: one row per event, in the order of appending. An item is an append, to one stream or to several; "firsts" marks the
-- first event in each stream. The caller ensures that a stream occurs only once in a batch.
-- Output: one row per stream whose revision is not the expected one (-1: no stream), with its append's item; none of these
-- appends is written. If no append was rejected, a single row without an item. The accepted events follow "base" without a
-- gap, in the order of appending.
create or replace function ${schema}.append_events(
  items int[], streams text[], revisions bigint[], firsts boolean[], ids uuid[], types text[], datas text[], metadatas text[]
) returns table (base bigint, rejected int, current bigint) language plpgsql
  set enable_seqscan = off -- a plan made while the table was small must not outlive that
as $$
declare
  start bigint;
  rejections int[];
  currents bigint[];
  written bigint;
begin
  perform pg_advisory_xact_lock(${APPEND_LOCKS}, hashtext('${schema}'));
  -- A separate statement, so that its snapshot is taken after the lock was acquired.
  select greatest(h.last_value, (select e.position from ${schema}.event e order by e.position desc limit 1))
    into start from ${schema}.head h;
  select array_agg(c.item), array_agg(c.found) into rejections, currents from (
    select g.item, g.revision as wanted,
      coalesce((select e.revision from ${schema}.event e where e.stream = g.stream order by e.revision desc limit 1),
        (select a.revision from ${schema}.archived_stream a where a.stream = g.stream order by a.file desc limit 1), -1) as found
    from unnest(items, streams, revisions, firsts) g (item, stream, revision, is_first) where g.is_first
    offset 0 -- evaluated once, not for every reference
  ) c where c.found <> c.wanted - 1;

  -- Nearly always, all appends are accepted; then the input is written unchanged.
  if rejections is null then
    insert into ${schema}.event (position, stream, revision, id, type, data, metadata)
    select start + g.ord, g.stream, g.revision, g.id, g.type, g.data, g.metadata
    from unnest(streams, revisions, ids, types, datas, metadatas) with ordinality g (stream, revision, id, type, data, metadata, ord);
  else
    insert into ${schema}.event (position, stream, revision, id, type, data, metadata)
    select start + row_number() over (order by g.ord), g.stream, g.revision, g.id, g.type, g.data, g.metadata
    from unnest(items, streams, revisions, ids, types, datas, metadatas)
      with ordinality g (item, stream, revision, id, type, data, metadata, ord)
    where g.item <> all (rejections);
  end if;
  get diagnostics written = row_count;
  if written > 0 then
    perform pg_notify('${schema}', (start + written)::text);
    perform setval('${schema}.head', start + written);
  end if;
  return query select start, r.item, r.found
    from unnest(coalesce(rejections, '{null}'), coalesce(currents, '{null}')) r (item, found);
end $$;

-- Calls append_events if all conditions hold. Otherwise it writes nothing and returns one row for each append whose
-- condition does not hold, with its item as "failed".
create or replace function ${schema}.append_events_if(
  condition_items int[], subjects text[], versions text[],
  items int[], streams text[], revisions bigint[], firsts boolean[], ids uuid[], types text[], datas text[], metadatas text[]
) returns table (base bigint, rejected int, current bigint, failed int) language plpgsql
as $$
declare
  failures int[] := ${conditions}(subjects, versions);
begin
  if failures <> '{}' then
    return query select null::bigint, null::int, null::bigint, condition_items[f] from unnest(failures) f;
    return;
  end if;
  return query select a.base, a.rejected, a.current, null::int
    from ${schema}.append_events(items, streams, revisions, firsts, ids, types, datas, metadatas) a;
end $$;

-- Writes an event as an append does, and undoes it. Raises the error that an append would get now. The event is larger than
-- the free space of most pages, so that the table must grow.
create or replace function ${schema}.probe_append() returns void language plpgsql
as $$
begin
  insert into ${schema}.event (position, stream, revision, id, type, data, metadata)
  values (-1 - (random() * 1e15)::bigint, '$probe-' || gen_random_uuid(), 0, gen_random_uuid(), '$probe', '{}',
    (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 220)));
  raise exception using errcode = 'CP001';
exception when sqlstate 'CP001' then
  null; -- undone
end $$;
`;

/** The functions of the gateway's event store. */
export const eventStore: RepeatableMigration = {
  name: 'event-store',
  sql: eventStoreFunctions({ schema: 'event_store', conditions: 'ops_find_changed_endpoints' }),
};
