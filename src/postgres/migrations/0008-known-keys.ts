import type { Migration } from '../migrations.js';

/**
 * The limiter's call also says whether something stands under a post's keys, where the events lie in the same database: a
 * post whose keys are taken to be new is spared a look of its own. Its functions call those that were there before.
 */
export const knownKeys: Migration = {
  number: 8,
  name: 'known-keys',
  sql: `
    -- Which of these streams are written, by the places that they are given with.
    create function ops_written(streams text[], places int[]) returns int[] language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    begin
      -- With events elsewhere nothing is asked, and the table need not be there.
      if cardinality(streams) = 0 then return '{}'; end if;
      return array(
        select distinct s.place from unnest(streams, places) s (stream, place)
        where exists (select from event_store.event e where e.stream = s.stream));
    end $$;

    -- ops_take_posts for those with nothing written under their keys; the others' outcome is known, and they use nothing up.
    -- Row 0 counts them as judged.
    create function ops_take_new_posts(
      streams text[], places int[],
      endpoints text[], versions text[], takes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      usages text[], usage_limits bigint[], violations_to_disable bigint, unseen text[]
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     taken_at text)
      language plpgsql
    as $$
    declare
      known int[] := ops_written(streams, places);
      rest int[];
    begin
      if known = '{}' then
        return query select * from ops_take_posts(
          endpoints, versions, takes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes, usages,
          usage_limits, violations_to_disable, unseen);
        return;
      end if;
      rest := array(select i from generate_subscripts(endpoints, 1) i where i <> all(known) order by i);
      return query select k, 'known'::text, null::text, null::int, 0, false, null::text from unnest(known) k;
      return query select
          coalesce(rest[j.place], 0), j.outcome, j.reason, j.retry_after,
          j.violation_count + case when j.place = 0 then cardinality(known) else 0 end, j.disables, j.taken_at
        from ops_take_posts(
          array(select endpoints[i] from unnest(rest) i), array(select versions[i] from unnest(rest) i),
          array(select takes[i] from unnest(rest) i), array(select keys_1[i] from unnest(rest) i),
          array(select keys_2[i] from unnest(rest) i), array(select min_intervals[i] from unnest(rest) i),
          array(select burst_sizes[i] from unnest(rest) i), array(select burst_windows[i] from unnest(rest) i),
          array(select hourly_sizes[i] from unnest(rest) i), array(select usages[i] from unnest(rest) i),
          array(select usage_limits[i] from unnest(rest) i), violations_to_disable, unseen) j;
    end $$;

    -- What has changed of what posts without limits were let in by: an endpoint's picture (stale), or keys (known).
    create function ops_confirm_posts(streams text[], places int[], endpoints text[], versions text[])
      returns table (place int, outcome text) language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    declare
      known int[] := ops_written(streams, places);
    begin
      return query
        select k, 'known'::text from unnest(known) k
        union all
        select a.place::int, 'stale'::text from unnest(endpoints, versions) with ordinality a (endpoint_id, version, place)
        where not exists (
            select from discovery.endpoint e where e.endpoint_id = a.endpoint_id and e.version = a.version)
          and a.place <> all (known);
    end $$;
  `,
};
