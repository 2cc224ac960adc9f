import type { Migration } from '../migrations.js';

/**
 * Judging a post costs half as much: the times of a burst are not sorted out anew for every post. Else the function is that
 * of migration 5.
 */
export const shortBursts: Migration = {
  number: 7,
  name: 'short-bursts',
  sql: `
    -- Posts that are taken, as nearly all are, are judged and written by one statement; the others are judged in full. One
    -- call at a time: nobody waits for a row after the clock was read. Row 0 tells the time, and in violation_count how many
    -- were judged. Where that is all of them, those without a row were taken; else some have no row in ops_limit, and each
    -- that has one has an answer.
    create or replace function ops_take_posts(
      endpoints text[], versions text[], takes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      usages text[], usage_limits bigint[], violations_to_disable bigint, unseen text[]
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     taken_at text)
      language plpgsql
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    declare
      t timestamptz;
      this_hour timestamptz;
      taken int[];
      rest int[];
      judged int := 0;
    begin
      perform pg_advisory_xact_lock(hashtext('crosspost limits'));
      t := ops_now();
      this_hour := date_trunc('hour', t, 'UTC');
      perform set_config('synchronous_commit', 'off', true);
      if cardinality(unseen) > 0 then
        insert into ops_limit (endpoint_id) select u from unnest(unseen) u order by u on conflict do nothing;
      end if;
      with written as (
        update ops_limit l set
          epoch = greatest(l.epoch, e.epoch::bigint),
          violations = case when e.epoch::bigint > l.epoch then '{}' else l.violations end,
          disabled = false,
          last_at = t,
          -- Of a short list the oldest times are let go when eight of them do not count any more.
          burst = case
            when a.burst_size is null then '{}'
            when cardinality(l.burst) > 64 then array(
              select y from unnest(l.burst) y where y > a.burst_from
                and y <= a.burst_to order by y) || t
            when l.burst[8] <= a.burst_from and a.burst_from >= all (l.burst[1:8]) then l.burst[9:] || t
            else l.burst || t end,
          hour = this_hour,
          hour_count = case when l.hour = this_hour then l.hour_count else 0 end + 1,
          keys = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.keys else '{}' end
            || case when a.key_2 is not null then array[a.key_1, a.key_2]
                    when a.key_1 is not null then array[a.key_1] else '{}' end,
          older_keys = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.older_keys
                            when t >= l.keys_since and t < l.keys_since + interval '10 seconds' then l.keys
                            else '{}' end,
          keys_since = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.keys_since else t end
        from (
          select u.*, t - u.burst_window * interval '1 second' as burst_from, t + u.burst_window * interval '1 second' as burst_to
          from unnest(endpoints, versions, takes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes,
                      usages, usage_limits) with ordinality
                 u (endpoint_id, version, take, key_1, key_2, min_interval, burst_size, burst_window, hourly_size,
                    usage, usage_limit, place)
          offset 0 -- worked out once
        ) a
        join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        where l.endpoint_id = a.endpoint_id and a.take and a.version = e.version
          and (not l.disabled or e.epoch::bigint > l.epoch)
          -- Keys that are forgotten by now are judged in full.
          and (a.key_1 = any(l.keys) or a.key_1 = any(l.older_keys) or a.key_2 = any(l.keys) or a.key_2 = any(l.older_keys)) is not true
          and (a.usage_limit is null
            or a.usage_limit > coalesce((select u.published from posts.usage u where u.owner_month = a.usage), 0))
          and (a.min_interval = 0 or l.last_at is null or l.last_at <= t - a.min_interval * interval '1 second'
            or l.last_at > t + a.min_interval * interval '1 second')
          -- So are bursts in which times that do not count any more stand beside those that do.
          and (a.burst_size is null or cardinality(l.burst) < a.burst_size)
          and (a.hourly_size is null or case when l.hour = this_hour then l.hour_count else 0 end < a.hourly_size)
        returning a.place::int)
      select coalesce(array_agg(w.place), '{}') into taken from written w;
      if cardinality(taken) < cardinality(endpoints) then
        rest := array(select i from generate_subscripts(endpoints, 1) i where i <> all(taken));
        return query select rest[j.place], j.outcome, j.reason, j.retry_after, j.violation_count, j.disables, j.taken_at
          from ops_judge_posts(
            array(select endpoints[i] from unnest(rest) i), array(select versions[i] from unnest(rest) i),
            array(select takes[i] from unnest(rest) i), array(select keys_1[i] from unnest(rest) i),
            array(select keys_2[i] from unnest(rest) i), array(select min_intervals[i] from unnest(rest) i),
            array(select burst_sizes[i] from unnest(rest) i), array(select burst_windows[i] from unnest(rest) i),
            array(select hourly_sizes[i] from unnest(rest) i), array(select usages[i] from unnest(rest) i),
            array(select usage_limits[i] from unnest(rest) i), violations_to_disable) j;
        get diagnostics judged = row_count;
        if cardinality(taken) + judged < cardinality(endpoints) then
          return query select i, 'taken'::text, null::text, null::int, 0, false, t::text from unnest(taken) i;
        end if;
      end if;
      return query select 0, 'taken'::text, null::text, null::int, cardinality(taken) + judged, false, t::text;
    end $$;
  `,
};
