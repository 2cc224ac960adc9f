import type { RepeatableMigration } from '../../migrations.js';

/**
 * The limiter's functions for posts, and the clock of all limits; budgets.sql.ts has the functions for other limits.
 * Each call evaluates a batch of requests, at most one per endpoint. Rows are locked before the clock is read, so the
 * limits are exact across processes. A request with an outdated endpoint snapshot is `stale` and uses no tokens.
 */
export const limiter: RepeatableMigration = {
  name: 'limiter',
  sql: `
    -- Returns the time for all limits. A test may set it for its session.
    create or replace function ops_read_clock() returns timestamptz language sql volatile as $$
      select coalesce(nullif(current_setting('crosspost.now', true), '')::timestamptz, clock_timestamp())
    $$;

    -- Admits posts whose streams are presumed empty. A post with a stream that is not empty is "stored" and uses no tokens;
    -- the others go to ops_admit_posts. Row 0 counts the stored posts as evaluated. With events outside this database, streams
    -- is empty, and a post whose keys were not looked up is unread. plan_cache_mode (also for functions called from here): for
    -- small batches, the server preferred a custom plan and planned every call again, tripling the cost of a single post.
    create or replace function ops_admit_new_posts(
      streams text[], items int[],
      endpoints text[], versions text[], consumes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      owner_months text[], monthly_limits bigint[], unread boolean[], violations_to_disable bigint, unknown_endpoints text[]
    ) returns table (item int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     admitted_at text)
      language plpgsql set plan_cache_mode = force_generic_plan as $$
    declare
      stored int[] := ops_find_stored_posts(streams, items);
      rest int[];
    begin
      if stored = '{}' then
        return query select * from ops_admit_posts(
          endpoints, versions, consumes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes, owner_months,
          monthly_limits, unread, violations_to_disable, unknown_endpoints);
        return;
      end if;
      rest := array(select i from generate_subscripts(endpoints, 1) i where i <> all(stored) order by i);
      return query select k, 'stored'::text, null::text, null::int, 0, false, null::text from unnest(stored) k;
      return query select
          coalesce(rest[j.item], 0), j.outcome, j.reason, j.retry_after,
          j.violation_count + case when j.item = 0 then cardinality(stored) else 0 end, j.disables, j.admitted_at
        from ops_admit_posts(
          array(select endpoints[i] from unnest(rest) i), array(select versions[i] from unnest(rest) i),
          array(select consumes[i] from unnest(rest) i), array(select keys_1[i] from unnest(rest) i),
          array(select keys_2[i] from unnest(rest) i), array(select min_intervals[i] from unnest(rest) i),
          array(select burst_sizes[i] from unnest(rest) i), array(select burst_windows[i] from unnest(rest) i),
          array(select hourly_sizes[i] from unnest(rest) i), array(select owner_months[i] from unnest(rest) i),
          array(select monthly_limits[i] from unnest(rest) i), array(select unread[i] from unnest(rest) i), violations_to_disable, unknown_endpoints) j;
    end $$;

    -- Admits posts. One statement evaluates and records the posts within the limits, which are nearly all; the rest go to
    -- ops_evaluate_posts. The advisory lock admits one call at a time, so no call waits for a row after reading the clock.
    -- Row 0 has the time of the admissions, and in violation_count the number of evaluated posts. If that is all of them,
    -- posts without a row of their own were admitted. Otherwise some have no row in ops_limit, and only the others get an
    -- answer.
    create or replace function ops_admit_posts(
      endpoints text[], versions text[], consumes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      owner_months text[], monthly_limits bigint[], unread boolean[], violations_to_disable bigint, unknown_endpoints text[]
    ) returns table (item int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     admitted_at text)
      language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    #variable_conflict use_column
    declare
      t timestamptz;
      this_hour timestamptz;
      admitted int[];
      rest int[];
      evaluated int := 0;
    begin
      perform pg_advisory_xact_lock(hashtext('crosspost limits'));
      t := ops_read_clock();
      this_hour := date_trunc('hour', t, 'UTC');
      perform set_config('synchronous_commit', 'off', true);
      if cardinality(unknown_endpoints) > 0 then
        insert into ops_limit (endpoint_id) select u from unnest(unknown_endpoints) u order by u on conflict do nothing;
      end if;
      with written as (
        update ops_limit l set
          epoch = greatest(l.epoch, e.epoch::bigint),
          violations = case when e.epoch::bigint > l.epoch then '{}' else l.violations end,
          disabled = false,
          last_at = t,
          -- A short list drops its oldest times only once eight of them are outside the window: sorting the list for each
          -- post doubled the cost of a call.
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
          from unnest(endpoints, versions, consumes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes,
                      owner_months, monthly_limits) with ordinality
                 u (endpoint_id, version, consume, key_1, key_2, min_interval, burst_size, burst_window, hourly_size,
                    owner_month, monthly_limit, item)
          offset 0 -- computes the window once per post
        ) a
        join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        where l.endpoint_id = a.endpoint_id and a.consume and a.version = e.version
          and (not l.disabled or e.epoch::bigint > l.epoch)
          -- Keys that may have expired go to the full evaluation.
          and (a.key_1 = any(l.keys) or a.key_1 = any(l.older_keys) or a.key_2 = any(l.keys) or a.key_2 = any(l.older_keys)) is not true
          and (a.monthly_limit is null
            or a.monthly_limit > coalesce((select u.published from posts.usage u where u.owner_month = a.owner_month), 0))
          and (a.min_interval = 0 or l.last_at is null or l.last_at <= t - a.min_interval * interval '1 second'
            or l.last_at > t + a.min_interval * interval '1 second')
          -- So do bursts whose list may contain expired times.
          and (a.burst_size is null or cardinality(l.burst) < a.burst_size)
          and (a.hourly_size is null or case when l.hour = this_hour then l.hour_count else 0 end < a.hourly_size)
        returning a.item::int)
      select coalesce(array_agg(w.item), '{}') into admitted from written w;
      if cardinality(admitted) < cardinality(endpoints) then
        rest := array(select i from generate_subscripts(endpoints, 1) i where i <> all(admitted));
        return query select rest[j.item], j.outcome, j.reason, j.retry_after, j.violation_count, j.disables, j.admitted_at
          from ops_evaluate_posts(
            array(select endpoints[i] from unnest(rest) i), array(select versions[i] from unnest(rest) i),
            array(select consumes[i] from unnest(rest) i), array(select keys_1[i] from unnest(rest) i),
            array(select keys_2[i] from unnest(rest) i), array(select min_intervals[i] from unnest(rest) i),
            array(select burst_sizes[i] from unnest(rest) i), array(select burst_windows[i] from unnest(rest) i),
            array(select hourly_sizes[i] from unnest(rest) i), array(select owner_months[i] from unnest(rest) i),
            array(select monthly_limits[i] from unnest(rest) i),
            array(select unread[i] from unnest(rest) i), violations_to_disable) j;
        get diagnostics evaluated = row_count;
        if cardinality(admitted) + evaluated < cardinality(endpoints) then
          return query select i, 'admitted'::text, null::text, null::int, 0, false, t::text from unnest(admitted) i;
        end if;
      end if;
      return query select 0, 'admitted'::text, null::text, null::int, cardinality(admitted) + evaluated, false, t::text;
    end $$;

    -- Evaluates posts in full and records admissions and rejections. outcome: admitted; admissible (within the limits,
    -- but consumes was false); stale; disabled; in_flight (a post with one of its keys was admitted within the last five to
    -- ten seconds); quota (the owner's month is used up); rejected (with reason and retry_after); unread (like rejected, but
    -- its keys may be known: nothing is recorded). disables: this violation disables the endpoint. Null limit: unlimited.
    create or replace function ops_evaluate_posts(
      endpoints text[], versions text[], consumes boolean[], keys_1 bigint[], keys_2 bigint[],
      min_intervals int[], burst_sizes bigint[], burst_windows double precision[], hourly_sizes bigint[],
      owner_months text[], monthly_limits bigint[], unread boolean[], violations_to_disable bigint
    ) returns table (item int, outcome text, reason text, retry_after int, violation_count int, disables boolean,
                     admitted_at text)
      language plpgsql
      -- Rows are found by their keys, even by a plan that was made while the tables were small.
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    begin
      -- An admission does not wait for the disk, because the append that follows does. A violation waits: see the end.
      perform set_config('synchronous_commit', 'off', true);
      return query
      with locked as materialized (
        select a.item, a.endpoint_id, a.consume, a.unread, a.key_1, a.key_2, a.burst_size, a.monthly_limit, a.hourly_size,
          a.min_interval * interval '1 second' as min_interval, a.burst_window * interval '1 second' as burst_window,
          l.last_at, l.burst, l.hour, l.hour_count, l.keys, l.older_keys, l.keys_since, l.violations, l.disabled,
          a.version is not distinct from e.version as is_fresh,
          greatest(l.epoch, e.epoch::bigint) as epoch, e.epoch::bigint > l.epoch as is_reenabled,
          coalesce(u.published, 0) as published
        from unnest(endpoints, versions, consumes, keys_1, keys_2, min_intervals, burst_sizes, burst_windows, hourly_sizes,
                    owner_months, monthly_limits, unread) with ordinality
               a (endpoint_id, version, consume, key_1, key_2, min_interval, burst_size, burst_window, hourly_size,
                  owner_month, monthly_limit, unread, item)
        join ops_limit l on l.endpoint_id = a.endpoint_id
        left join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        left join posts.usage u on u.owner_month = a.owner_month
        order by l.endpoint_id for update of l
      ),
      timed as materialized (select k.*, ops_read_clock() as t from locked k), -- read while the lock is held
      -- Times further ahead than a window's length were recorded before the clock was set back: they do not count.
      counted as materialized (
        select x.*, date_trunc('hour', x.t, 'UTC') as this_hour,
          case when x.burst_size is not null then array(
            select y from unnest(x.burst) y where y > x.t - x.burst_window and y <= x.t + x.burst_window order by y)
          else '{}' end as recent,
          -- The number of key generations, five seconds each, that have not expired. Setting the clock back expires both.
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
      evaluated as materialized (
        select w.*, greatest(w.hourly_wait, w.min_interval_wait, w.burst_wait) as wait,
          case
            when not w.is_fresh then 'stale'
            when w.disabled and not w.is_reenabled then 'disabled'
            when w.key_generations > 0 and (w.key_1 = any(w.keys) or w.key_2 = any(w.keys)) then 'in_flight'
            when w.key_generations = 2 and (w.key_1 = any(w.older_keys) or w.key_2 = any(w.older_keys)) then 'in_flight'
            when w.published >= w.monthly_limit then 'quota'
            when w.hourly_wait is not null or w.min_interval_wait is not null or w.burst_wait is not null
              then case when w.unread then 'unread' else 'rejected' end
            when w.consume then 'admitted'
            else 'admissible'
          end as verdict
        from waits w
      ),
      decided as materialized (
        select j.*,
          case when j.verdict = 'rejected' and violations_to_disable is not null then array(
            select v from unnest(case when j.is_reenabled then '{}' else j.violations end) v
            where v > j.t - interval '1 hour' and v <= j.t + interval '1 hour'
            order by v desc limit violations_to_disable - 1) || j.t
          when j.is_reenabled then '{}'
          else j.violations end as new_violations
        from evaluated j
      ),
      written as (
        update ops_limit l set
          epoch = d.epoch,
          violations = d.new_violations,
          disabled = coalesce(d.verdict = 'rejected' and cardinality(d.new_violations) >= violations_to_disable, false),
          last_at = case d.verdict when 'admitted' then d.t else l.last_at end,
          burst = case when d.verdict = 'admitted' and d.burst_size is not null then d.recent || d.t else d.recent end,
          hour = d.this_hour,
          hour_count = d.this_hour_count + (d.verdict = 'admitted')::int,
          keys = case when d.key_generations = 2 then d.keys else '{}' end
            || case when d.verdict = 'admitted' then array_remove(array[d.key_1, d.key_2], null) else '{}' end,
          older_keys = case d.key_generations when 2 then d.older_keys when 1 then d.keys else '{}' end,
          keys_since = case when d.key_generations = 2 then d.keys_since else d.t end
        from decided d where l.endpoint_id = d.endpoint_id
          and (d.verdict = 'admitted' or d.verdict = 'rejected' and violations_to_disable is not null)
      )
      select d.item::int, d.verdict,
        case when d.verdict <> 'rejected' then null
          when d.wait = d.hourly_wait then 'hourly_quota'
          when d.wait = d.min_interval_wait then 'min_interval'
          else 'burst' end,
        case when d.verdict = 'rejected' then greatest(1, ceil(extract(epoch from d.wait)))::int end,
        cardinality(d.new_violations),
        coalesce(d.verdict = 'rejected' and cardinality(d.new_violations) >= violations_to_disable, false),
        case when d.verdict = 'admitted' then d.t::text end
      from decided d
      where d.verdict <> 'rejected' or violations_to_disable is null
        or set_config('synchronous_commit', 'on', true) is not null;
    end $$;

    -- Returns the items with at least one stream that has events.
    create or replace function ops_find_stored_posts(streams text[], items int[]) returns int[] language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    begin
      if cardinality(streams) = 0 then return '{}'; end if;
      return array(
        select distinct s.item from unnest(streams, items) s (stream, item)
        where exists (select from event_store.event e where e.stream = s.stream));
    end $$;

    -- Verifies posts without limits. Returns only those that cannot pass: stored, or stale.
    create or replace function ops_verify_posts(streams text[], items int[], endpoints text[], versions text[])
      returns table (item int, outcome text) language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
      set plan_cache_mode = force_generic_plan
    as $$
    declare
      stored int[] := ops_find_stored_posts(streams, items);
    begin
      return query
        select k, 'stored'::text from unnest(stored) k
        union all
        select a.item::int, 'stale'::text from unnest(endpoints, versions) with ordinality a (endpoint_id, version, item)
        where not exists (
            select from discovery.endpoint e where e.endpoint_id = a.endpoint_id and e.version = a.version)
          and a.item <> all (stored);
    end $$;

    -- Returns the items whose endpoint is not at the given version. The event store calls it when it appends a post without
    -- limits, which saves that post a call of the limiter.
    create or replace function ops_find_changed_endpoints(endpoints text[], versions text[]) returns int[] language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
      set plan_cache_mode = force_generic_plan
    as $$
    begin
      return array(
        select a.item::int from unnest(endpoints, versions) with ordinality a (endpoint_id, version, item)
        where not exists (
          select from discovery.endpoint e where e.endpoint_id = a.endpoint_id and e.version = a.version));
    end $$;

    -- Releases the tokens of a post that was admitted but not accepted.
    create or replace function ops_release_post(endpoint text, admitted_at timestamptz, admitted_keys bigint[]) returns void
    language sql as $$
      select pg_advisory_xact_lock(hashtext('crosspost limits'));
      update ops_limit set
        last_at = nullif(last_at, admitted_at), -- the post before it is at least an interval older and delays no one
        burst = array_remove(burst, admitted_at),
        hour_count = hour_count - (hour = date_trunc('hour', admitted_at, 'UTC') and hour_count > 0)::int,
        keys = array(select k from unnest(keys) k where k <> all(admitted_keys)),
        older_keys = array(select k from unnest(older_keys) k where k <> all(admitted_keys))
      where endpoint_id = endpoint
    $$;
  `,
};
