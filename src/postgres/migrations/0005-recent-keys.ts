import type { Migration } from '../migrations.js';

/**
 * Judging a post costs less. Keys that were let through just now are kept in two generations of five seconds instead of
 * with a time each: an endpoint's row, which every post writes anew, is a quarter as long where there are many. What is
 * taken, as most posts are, is judged and written in one statement, and needs no row in the answer.
 */
export const recentKeys: Migration = {
  number: 5,
  name: 'recent-keys',
  sql: `
    alter table ops_limit
      drop column key_times,
      add column older_keys bigint[] not null default '{}',
      add column keys_since timestamptz;

    -- outcome: taken; free (would have been taken, but was only asked for); stale; disabled; in_flight (its key was let
    -- through within the last five to ten seconds); quota (the owner's month is used up); refused (reason and retry_after say
    -- why and for how long). disables: this violation is the one that switches the endpoint off. A limit that is null
    -- does not exist.
    drop function ops_take_posts;
    create function ops_judge_posts(
      endpoints text[], versions text[], takes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      usages text[], usage_limits bigint[], violations_to_disable bigint
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     taken_at text)
      language plpgsql
      -- A plan made while the tables were small must not outlive that: rows are found by their keys.
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    begin
      -- What is taken need not wait for the disk, the append that follows does; a violation waits, see the end.
      perform set_config('synchronous_commit', 'off', true);
      return query
      with locked as materialized (
        select a.place, a.endpoint_id, a.take, a.key_1, a.key_2, a.burst_size, a.usage_limit, a.hourly_size,
          a.min_interval * interval '1 second' as min_interval, a.burst_window * interval '1 second' as burst_window,
          l.last_at, l.burst, l.hour, l.hour_count, l.keys, l.older_keys, l.keys_since, l.violations, l.disabled,
          a.version is not distinct from e.version as is_fresh,
          greatest(l.epoch, e.epoch::bigint) as epoch, e.epoch::bigint > l.epoch as is_renewed,
          coalesce(u.published, 0) as published
        from unnest(endpoints, versions, takes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes,
                    usages, usage_limits) with ordinality
               a (endpoint_id, version, take, key_1, key_2, min_interval, burst_size, burst_window, hourly_size,
                  usage, usage_limit, place)
        join ops_limit l on l.endpoint_id = a.endpoint_id
        left join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        left join posts.usage u on u.owner_month = a.usage
        order by l.endpoint_id for update of l
      ),
      timed as materialized (select k.*, ops_now() as t from locked k), -- read when the lock is held
      -- Times beyond a window's length ahead are of a clock that has been set back since: they do not count.
      counted as materialized (
        select x.*, date_trunc('hour', x.t, 'UTC') as this_hour,
          case when x.burst_size is not null then array(
            select y from unnest(x.burst) y where y > x.t - x.burst_window and y <= x.t + x.burst_window order by y)
          else '{}' end as recent,
          -- Two generations of keys, five seconds each; a clock that has been set back makes both old.
          case when x.t >= x.keys_since and x.t < x.keys_since + interval '5 seconds' then 2
               when x.t >= x.keys_since and x.t < x.keys_since + interval '10 seconds' then 1
               else 0 end as key_generations
        from timed x
      ),
      waits as materialized (
        select c.*,
          case when c.hour = c.this_hour then c.hour_count else 0 end as this_hour_count,
          case when c.last_at > c.t - c.min_interval and c.last_at <= c.t + c.min_interval
            then c.last_at + c.min_interval - c.t end as min_interval_wait,
          case when cardinality(c.recent) >= c.burst_size
            then c.recent[cardinality(c.recent) - c.burst_size::int + 1] + c.burst_window - c.t end as burst_wait,
          case when (case when c.hour = c.this_hour then c.hour_count else 0 end) >= c.hourly_size
            then c.this_hour + interval '1 hour' - c.t end as hourly_wait
        from counted c
      ),
      judged as materialized (
        select w.*, greatest(w.hourly_wait, w.min_interval_wait, w.burst_wait) as wait,
          case
            when not w.is_fresh then 'stale'
            when w.disabled and not w.is_renewed then 'disabled'
            when w.key_generations > 0 and (w.key_1 = any(w.keys) or w.key_2 = any(w.keys)) then 'in_flight'
            when w.key_generations = 2 and (w.key_1 = any(w.older_keys) or w.key_2 = any(w.older_keys)) then 'in_flight'
            when w.published >= w.usage_limit then 'quota'
            when w.hourly_wait is not null or w.min_interval_wait is not null or w.burst_wait is not null then 'refused'
            when w.take then 'taken'
            else 'free'
          end as verdict
        from waits w
      ),
      decided as materialized (
        select j.*,
          case when j.verdict = 'refused' and violations_to_disable is not null then array(
            select v from unnest(case when j.is_renewed then '{}' else j.violations end) v
            where v > j.t - interval '1 hour' and v <= j.t + interval '1 hour'
            order by v desc limit violations_to_disable - 1) || j.t
          when j.is_renewed then '{}'
          else j.violations end as new_violations
        from judged j
      ),
      written as (
        update ops_limit l set
          epoch = d.epoch,
          violations = d.new_violations,
          disabled = coalesce(d.verdict = 'refused' and cardinality(d.new_violations) >= violations_to_disable, false),
          last_at = case d.verdict when 'taken' then d.t else l.last_at end,
          burst = case when d.verdict = 'taken' and d.burst_size is not null then d.recent || d.t else d.recent end,
          hour = d.this_hour,
          hour_count = d.this_hour_count + (d.verdict = 'taken')::int,
          keys = case when d.key_generations = 2 then d.keys else '{}' end
            || case when d.verdict = 'taken' then array_remove(array[d.key_1, d.key_2], null) else '{}' end,
          older_keys = case d.key_generations when 2 then d.older_keys when 1 then d.keys else '{}' end,
          keys_since = case when d.key_generations = 2 then d.keys_since else d.t end
        from decided d where l.endpoint_id = d.endpoint_id
          and (d.verdict = 'taken' or d.verdict = 'refused' and violations_to_disable is not null)
      )
      select d.place::int, d.verdict,
        case when d.verdict <> 'refused' then null
          when d.wait = d.hourly_wait then 'hourly_quota'
          when d.wait = d.min_interval_wait then 'min_interval'
          else 'burst' end,
        case when d.verdict = 'refused' then greatest(1, ceil(extract(epoch from d.wait)))::int end,
        cardinality(d.new_violations),
        coalesce(d.verdict = 'refused' and cardinality(d.new_violations) >= violations_to_disable, false),
        case when d.verdict = 'taken' then d.t::text end
      from decided d
      where d.verdict <> 'refused' or violations_to_disable is null
        or set_config('synchronous_commit', 'on', true) is not null;
    end $$;

    -- Posts that are taken, as nearly all are, are judged and written by one statement; the others are judged in full. One
    -- call at a time: nobody waits for a row after the clock was read. Row 0 tells the time, and in violation_count how many
    -- were judged. Where that is all of them, those without a row were taken; else some have no row in ops_limit, and each
    -- that has one has an answer.
    create function ops_take_posts(
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
          burst = case when a.burst_size is null then '{}' else array(
            select y from unnest(l.burst) y where y > t - a.burst_window * interval '1 second'
              and y <= t + a.burst_window * interval '1 second' order by y) || t end,
          hour = this_hour,
          hour_count = case when l.hour = this_hour then l.hour_count else 0 end + 1,
          keys = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.keys else '{}' end
            || case when a.key_2 is not null then array[a.key_1, a.key_2]
                    when a.key_1 is not null then array[a.key_1] else '{}' end,
          older_keys = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.older_keys
                            when t >= l.keys_since and t < l.keys_since + interval '10 seconds' then l.keys
                            else '{}' end,
          keys_since = case when t >= l.keys_since and t < l.keys_since + interval '5 seconds' then l.keys_since else t end
        from unnest(endpoints, versions, takes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes,
                    usages, usage_limits) with ordinality
               a (endpoint_id, version, take, key_1, key_2, min_interval, burst_size, burst_window, hourly_size,
                  usage, usage_limit, place)
        join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        where l.endpoint_id = a.endpoint_id and a.take and a.version = e.version
          and (not l.disabled or e.epoch::bigint > l.epoch)
          -- Keys that are forgotten by now are judged in full.
          and (a.key_1 = any(l.keys || l.older_keys) or a.key_2 = any(l.keys || l.older_keys)) is not true
          and (a.usage_limit is null
            or a.usage_limit > coalesce((select u.published from posts.usage u where u.owner_month = a.usage), 0))
          and (l.last_at is null or l.last_at <= t - a.min_interval * interval '1 second'
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

    -- What budgets take waits like everybody for its turn, and not for the disk; a violation does.
    alter function ops_take_budgets rename to ops_judge_budgets;
    create function ops_take_budgets(
      endpoints text[], versions text[], budgets text[], sizes bigint[], are_daily boolean[], are_violations boolean[],
      violations_to_disable bigint, unseen text[]
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean)
      language plpgsql
    as $$
    begin
      perform pg_advisory_xact_lock(hashtext('crosspost limits'));
      perform set_config('synchronous_commit', 'off', true);
      return query select j.* from ops_judge_budgets(
          endpoints, versions, budgets, sizes, are_daily, are_violations, violations_to_disable, unseen) j
        where j.outcome <> 'refused' or set_config('synchronous_commit', 'on', true) is not null;
    end $$;

    drop function ops_give_back;

    -- Takes back what a post has taken that was not accepted after all.
    create function ops_give_back(endpoint text, taken_at timestamptz, given_keys bigint[]) returns void
    language sql as $$
      select pg_advisory_xact_lock(hashtext('crosspost limits'));
      update ops_limit set
        last_at = nullif(last_at, taken_at), -- the post before it was an interval before it: it holds nobody any more
        burst = array_remove(burst, taken_at),
        hour_count = hour_count - (hour = date_trunc('hour', taken_at, 'UTC') and hour_count > 0)::int,
        keys = array(select k from unnest(keys) k where k <> all(given_keys)),
        older_keys = array(select k from unnest(older_keys) k where k <> all(given_keys))
      where endpoint_id = endpoint
    $$;
  `,
};
