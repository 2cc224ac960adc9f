/**
 * Returns the DDL of the store: its tables and functions, in a schema of their own.
 *
 * `append_events` is a group commit. The lock on `head` makes positions gapless and equal to the commit order, across
 * processes. There is no table of streams: the unique index on stream and revision is the check. There is no index on
 * event ids: a conflict compares the ids at that revision. Both would cost more than they give. `event.data` is text, not
 * jsonb, because the hash chain covers its exact bytes.
 *
 * @param conditions see {@link PostgresEventStoreOptions.conditions}
 */
export const eventStoreSchema = (schema: string, firstPosition: bigint, conditions?: string): string => `
create schema if not exists ${schema};

create table if not exists ${schema}.event (
  position bigint primary key,
  stream   text   not null collate "C",
  revision bigint not null,
  id       uuid   not null,
  type     text   not null,
  data     text   not null,
  metadata text   not null,
  unique (stream, revision)
);

create table if not exists ${schema}.head (
  one      boolean primary key default true check (one),
  position bigint not null
) with (fillfactor = 10);
insert into ${schema}.head (position) values (${firstPosition - 1n}) on conflict do nothing;

create table if not exists ${schema}.retention (
  stream    text   primary key collate "C",
  max_count bigint not null check (max_count >= 1)
);

-- Input: one row per event, in the order of appending. The caller ensures that no two appends of a batch share a stream.
-- Output: one row per rejected append, with its item and the revision of its stream (-1: no stream). If none was rejected:
-- a single row without an item. The accepted events follow "base" without a gap, in the order of appending.
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
  select h.position into start from ${schema}.head h for update;
  select array_agg(c.item), array_agg(c.found) into rejections, currents from (
    select g.item, g.revision as wanted,
      coalesce((select e.revision from ${schema}.event e where e.stream = g.stream order by e.revision desc limit 1), -1) as found
    from unnest(items, streams, revisions, firsts) g (item, stream, revision, is_first) where g.is_first
    offset 0 -- evaluated once, not for every reference
  ) c where c.found <> c.wanted - 1;

  -- Nearly always all are accepted: then the input is written as it is.
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
    update ${schema}.head set position = start + written;
    perform pg_notify('${schema}', (start + written)::text);
  end if;
  return query select start, r.item, r.found
    from unnest(coalesce(rejections, '{null}'), coalesce(currents, '{null}')) r (item, found);
end $$;
${conditions === undefined ? '' : conditionalAppend(schema, conditions)}`;

const conditionalAppend = (schema: string, conditions: string): string => `
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
`;
