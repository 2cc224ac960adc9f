import type { Migration } from '../migrations.js';

/**
 * Rate limits: what was taken and when, and two functions that judge a batch of requests, at most one for each endpoint.
 * Rows are locked in the order of their keys before the clock is read: what is counted is exact over all processes.
 * A request judged by an outdated picture of its endpoint is `stale`, and takes nothing.
 */
export const limits: Migration = {
  number: 3,
  name: 'limits',
  sql: `
    create table ops_limit (
      endpoint_id text primary key,
      -- Violations before the endpoint was switched on last do not count (D-45).
      epoch bigint not null default 0,
      -- Of accepted posts: the last one, those of the burst's window, and how many of the hour.
      last_at timestamptz,
      burst timestamptz[] not null default '{}',
      hour timestamptz,
      hour_count int not null default 0,
      -- Idempotency keys that were let through just now: their posts may not be stored yet.
      keys bigint[] not null default '{}',
      key_times timestamptz[] not null default '{}',
      violations timestamptz[] not null default '{}',
      -- So many violations that the endpoint has to be switched off, whether or not that has been done yet.
      disabled boolean not null default false
    ) with (fillfactor = 50);

    -- What else is limited: discovery, pauses and replays by the minute, the sandbox by the day.
    create table ops_budget (
      endpoint_id text not null,
      budget text not null,
      taken timestamptz[] not null default '{}',
      day date,
      day_count int not null default 0,
      primary key (endpoint_id, budget)
    ) with (fillfactor = 50);

    -- The clock of all limits. A test may set it for its session.
    create function ops_now() returns timestamptz language sql volatile as $$
      select coalesce(nullif(current_setting('crosspost.now', true), '')::timestamptz, clock_timestamp())
    $$;

    -- outcome: taken; free (would have been taken, but was only asked for); stale; disabled; in_flight (its key was let
    -- through within the last ten seconds); quota (the owner's month is used up); refused (reason and retry_after say
    -- why and for how long). disables: this violation is the one that switches the endpoint off. A limit that is null
    -- does not exist.
    create function ops_take_posts(
      endpoints text[], versions text[], takes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      usages text[], usage_limits bigint[], violations_to_disable bigint, unseen text[]
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     taken_at text)
      language plpgsql
      -- A plan made while the tables were small must not outlive that: rows are found by their keys.
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    begin
      if cardinality(unseen) > 0 then
        insert into ops_limit (endpoint_id) select u from unnest(unseen) u order by u on conflict do nothing;
      end if;
      -- What is taken need not wait for the disk, the append that follows does; a violation waits, see the end.
      perform set_config('synchronous_commit', 'off', true);
      return query
      with locked as materialized (
        select a.place, a.endpoint_id, a.take, a.key_1, a.key_2, a.burst_size, a.usage_limit, a.hourly_size,
          a.min_interval * interval '1 second' as min_interval, a.burst_window * interval '1 second' as burst_window,
          l.last_at, l.burst, l.hour, l.hour_count, l.keys, l.key_times, l.violations, l.disabled,
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
          else '{}' end as recent
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
            when w.key_1 is not null and exists (
              select from unnest(w.keys, w.key_times) k (key, at)
              where k.at > w.t - interval '10 seconds' and (k.key = w.key_1 or k.key = w.key_2)) then 'in_flight'
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
          keys = case when d.verdict <> 'taken' or d.key_1 is null then l.keys else array(
            select k.key from unnest(l.keys, l.key_times) k (key, at)
            where k.at > d.t - interval '10 seconds' order by k.at desc limit 100) || d.key_1 || d.key_2 end,
          key_times = case when d.verdict <> 'taken' or d.key_1 is null then l.key_times else array(
            select k.at from unnest(l.keys, l.key_times) k (key, at)
            where k.at > d.t - interval '10 seconds' order by k.at desc limit 100) || d.t || d.t end
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

    -- Takes back what a post has taken that was not accepted after all.
    create function ops_give_back(endpoint text, taken_at timestamptz) returns void language sql as $$
      update ops_limit set
        last_at = nullif(last_at, taken_at), -- the post before it was an interval before it: it holds nobody any more
        burst = array_remove(burst, taken_at),
        hour_count = hour_count - (hour = date_trunc('hour', taken_at, 'UTC') and hour_count > 0)::int,
        keys = array(select k.key from unnest(keys, key_times) k (key, at) where k.at <> taken_at),
        key_times = array_remove(key_times, taken_at)
      where endpoint_id = endpoint
    $$;

    -- The same for budgets. outcome: taken, stale, disabled or refused. Only where is_violation says so does a refusal
    -- count to the five, and a switched-off endpoint get nothing. A size that is null is no limit.
    create function ops_take_budgets(
      endpoints text[], versions text[], budgets text[], sizes bigint[], are_daily boolean[], are_violations boolean[],
      violations_to_disable bigint, unseen text[]
    ) returns table (place int, outcome text, reason text, retry_after int, violation_count int, disables boolean)
      language plpgsql
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    begin
      if cardinality(unseen) > 0 then
        insert into ops_limit (endpoint_id) select u from unnest(unseen) u order by u on conflict do nothing;
      end if;
      -- The row of ops_limit is the lock of all that its endpoint has; the next statement sees what others wrote before.
      perform from ops_limit l where l.endpoint_id = any(endpoints) order by l.endpoint_id for update;
      return query
      with timed as materialized (select ops_now() as t),
      counted as materialized (
        select a.place, a.endpoint_id, a.budget, a.size, a.is_daily, a.is_violation, t, l.violations, l.disabled,
          a.version is not distinct from e.version as is_fresh,
          greatest(l.epoch, e.epoch::bigint) as epoch, e.epoch::bigint > l.epoch as is_renewed,
          (t at time zone 'UTC')::date as today,
          case when b.day = (t at time zone 'UTC')::date then b.day_count else 0 end as today_count,
          array(select y from unnest(b.taken) y
                where y > t - interval '1 minute' and y <= t + interval '1 minute' order by y) as recent
        from timed, unnest(endpoints, versions, budgets, sizes, are_daily, are_violations) with ordinality
               a (endpoint_id, version, budget, size, is_daily, is_violation, place)
        join ops_limit l on l.endpoint_id = a.endpoint_id
        left join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        left join ops_budget b on b.endpoint_id = a.endpoint_id and b.budget = a.budget
      ),
      waits as materialized (
        select c.*,
          case
            when c.is_daily and c.today_count >= c.size then (c.today + 1)::timestamp at time zone 'UTC' - c.t
            when not c.is_daily and cardinality(c.recent) >= c.size
              then c.recent[cardinality(c.recent) - c.size::int + 1] + interval '1 minute' - c.t
          end as wait
        from counted c
      ),
      judged as materialized (
        select w.*,
          case when not w.is_fresh then 'stale'
            when w.disabled and not w.is_renewed and w.is_violation then 'disabled'
            when w.wait is not null then 'refused'
            else 'taken' end as verdict
        from waits w
      ),
      decided as materialized (
        select j.*,
          case when j.verdict = 'refused' and j.is_violation and violations_to_disable is not null then array(
            select v from unnest(case when j.is_renewed then '{}' else j.violations end) v
            where v > j.t - interval '1 hour' and v <= j.t + interval '1 hour'
            order by v desc limit violations_to_disable - 1) || j.t
          when j.is_renewed then '{}'
          else j.violations end as new_violations
        from judged j
      ),
      counted_violations as (
        update ops_limit l set
          epoch = d.epoch,
          violations = d.new_violations,
          disabled = coalesce(cardinality(d.new_violations) >= violations_to_disable, false)
        from decided d where l.endpoint_id = d.endpoint_id and d.verdict = 'refused' and d.is_violation
      ),
      taken as (
        insert into ops_budget as b (endpoint_id, budget, taken, day, day_count)
        select d.endpoint_id, d.budget, case when d.is_daily then '{}' else d.recent || d.t end, d.today, d.today_count + 1
        from decided d where d.verdict = 'taken' and d.size is not null
        on conflict (endpoint_id, budget) do update
          set taken = excluded.taken, day = excluded.day, day_count = excluded.day_count
      )
      select d.place::int, d.verdict,
        case when d.verdict = 'refused' then d.budget end,
        case when d.verdict = 'refused' then greatest(1, ceil(extract(epoch from d.wait)))::int end,
        cardinality(d.new_violations),
        coalesce(d.verdict = 'refused' and d.is_violation
                 and cardinality(d.new_violations) >= violations_to_disable, false)
      from decided d;
    end $$;
  `,
};
