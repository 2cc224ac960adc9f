/**
 * Tables and the one function of the store, in a schema of their own.
 *
 * `append_batch` is a group commit: the lock on `head` makes positions gapless and equal to the commit order, across
 * processes. There is no table of streams (the unique index on stream and revision is the check) and no index on event
 * ids (a conflict compares the ids at that revision): both would cost more than they give. `event.data` is text, not
 * jsonb: the hash chain needs the very bytes.
 */
export const eventStoreSchema = (schema: string, firstPosition: bigint): string => `
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

-- One row per event in, in the order of appending; one row per append out. Two appends of one batch never share a
-- stream: the caller sees to it. "last" is null where the append was refused; then "current" is the stream's revision
-- (-1: no stream).
create or replace function ${schema}.append_batch(
  items int[], streams text[], revisions bigint[], firsts boolean[], ids uuid[], types text[], datas text[], metadatas text[]
) returns table (item int, last bigint, current bigint) language plpgsql
  set enable_seqscan = off -- a plan made while the table was small must not outlive that
as $$
#variable_conflict use_column
declare
  base bigint;
  reached bigint;
begin
  select position into base from ${schema}.head for update;
  return query
  with given as (
    select g.* from unnest(items, streams, revisions, firsts, ids, types, datas, metadatas)
      with ordinality g (item, stream, revision, is_first, id, type, data, metadata, ord)
  ), checked as materialized (
    select g.item, g.revision as wanted,
      coalesce((select e.revision from ${schema}.event e where e.stream = g.stream order by e.revision desc limit 1), -1) as found
    from given g where g.is_first
  ), accepted as materialized (
    select g.*, base + row_number() over (order by g.ord) as position
    from given g join checked c on c.item = g.item and c.found = c.wanted - 1
  ), written as (
    insert into ${schema}.event (position, stream, revision, id, type, data, metadata)
    select a.position, a.stream, a.revision, a.id, a.type, a.data, a.metadata from accepted a order by a.position
  )
  select c.item, max(a.position), min(c.found) from checked c left join accepted a on a.item = c.item group by c.item;

  select max(e.position) into reached from ${schema}.event e where e.position > base;
  if reached is not null then
    update ${schema}.head set position = reached;
    perform pg_notify('${schema}', reached::text);
  end if;
end $$;
`;
