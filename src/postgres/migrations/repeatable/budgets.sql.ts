import type { RepeatableMigration } from '../../migrations.js';

/**
 * The functions for budgets: discovery, pauses and replays have a budget per minute and endpoint, the sandbox has one per
 * UTC day and owner (D-17, D-45, D-51), and changes through the management API have one per minute and owner (D-83).
 */
export const budgets: RepeatableMigration = {
  name: 'budgets',
  sql: `
    -- Consumes one request from each budget. Calls run one at a time; only a violation waits for the disk.
    create or replace function ops_consume_budgets(
      endpoints text[], versions text[], payers text[], budgets text[], sizes bigint[], are_daily boolean[],
      are_violations boolean[], violations_to_disable bigint, unknown_endpoints text[]
    ) returns table (item int, outcome text, reason text, retry_after int, violation_count int, disables boolean)
      language plpgsql set plan_cache_mode = force_generic_plan
    as $$
    begin
      perform pg_advisory_xact_lock(hashtext('crosspost limits'));
      perform set_config('synchronous_commit', 'off', true);
      return query select j.* from ops_evaluate_budgets(
          endpoints, versions, payers, budgets, sizes, are_daily, are_violations, violations_to_disable,
          unknown_endpoints) j
        where j.outcome <> 'rejected' or set_config('synchronous_commit', 'on', true) is not null;
    end $$;

    -- Evaluates budgets and records the result. A payer occurs at most once per call. outcome: admitted, stale, disabled or
    -- rejected. Only where are_violations is true does a rejection count as a violation and is a disabled endpoint refused. A
    -- null size means unlimited.
    create or replace function ops_evaluate_budgets(
      endpoints text[], versions text[], payers text[], budgets text[], sizes bigint[], are_daily boolean[],
      are_violations boolean[], violations_to_disable bigint, unknown_endpoints text[]
    ) returns table (item int, outcome text, reason text, retry_after int, violation_count int, disables boolean)
      language plpgsql
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$
    #variable_conflict use_column
    begin
      if cardinality(unknown_endpoints) > 0 then
        insert into ops_limit (endpoint_id) select u from unnest(unknown_endpoints) u order by u on conflict do nothing;
      end if;
      -- The endpoint's row in ops_limit is the lock for all its limits. The next statement sees what was written before.
      perform from ops_limit l where l.endpoint_id = any(endpoints) order by l.endpoint_id for update;
      return query
      with timed as materialized (select ops_read_clock() as t),
      counted as materialized (
        select a.item, a.endpoint_id, a.payer_id, a.budget, a.size, a.is_daily, a.is_violation, t, l.violations, l.disabled,
          a.version is not distinct from e.version as is_fresh,
          greatest(l.epoch, e.epoch::bigint) as epoch, e.epoch::bigint > l.epoch as is_reenabled,
          (t at time zone 'UTC')::date as today,
          case when b.day = (t at time zone 'UTC')::date then b.day_count else 0 end as today_count,
          array(select y from unnest(b.minute_times) y
                where y > t - interval '1 minute' and y <= t + interval '1 minute' order by y) as recent
        from timed, unnest(endpoints, versions, payers, budgets, sizes, are_daily, are_violations) with ordinality
               a (endpoint_id, version, payer_id, budget, size, is_daily, is_violation, item)
        join ops_limit l on l.endpoint_id = a.endpoint_id
        left join discovery.endpoint e on e.endpoint_id = a.endpoint_id
        left join ops_budget b on b.payer_id = a.payer_id and b.budget = a.budget
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
      evaluated as materialized (
        select w.*,
          case when not w.is_fresh then 'stale'
            when w.disabled and not w.is_reenabled and w.is_violation then 'disabled'
            when w.wait is not null then 'rejected'
            else 'admitted' end as verdict
        from waits w
      ),
      decided as materialized (
        select j.*,
          case when j.verdict = 'rejected' and j.is_violation and violations_to_disable is not null then array(
            select v from unnest(case when j.is_reenabled then '{}' else j.violations end) v
            where v > j.t - interval '1 hour' and v <= j.t + interval '1 hour'
            order by v desc limit violations_to_disable - 1) || j.t
          when j.is_reenabled then '{}'
          else j.violations end as new_violations
        from evaluated j
      ),
      counted_violations as (
        update ops_limit l set
          epoch = d.epoch,
          violations = d.new_violations,
          disabled = coalesce(cardinality(d.new_violations) >= violations_to_disable, false)
        from decided d where l.endpoint_id = d.endpoint_id and d.verdict = 'rejected' and d.is_violation
      ),
      admitted as (
        insert into ops_budget as b (payer_id, budget, minute_times, day, day_count)
        select d.payer_id, d.budget, case when d.is_daily then '{}' else d.recent || d.t end, d.today, d.today_count + 1
        from decided d where d.verdict = 'admitted' and d.size is not null
        on conflict (payer_id, budget) do update
          set minute_times = excluded.minute_times, day = excluded.day, day_count = excluded.day_count
      )
      select d.item::int, d.verdict,
        case when d.verdict = 'rejected' then d.budget end,
        case when d.verdict = 'rejected' then greatest(1, ceil(extract(epoch from d.wait)))::int end,
        cardinality(d.new_violations),
        coalesce(d.verdict = 'rejected' and d.is_violation
                 and cardinality(d.new_violations) >= violations_to_disable, false)
      from decided d;
    end $$;

    -- Counts changes of owners, as many as their budgets allow in a sliding minute. An owner occurs at most once per call.
    -- retry_after: whole seconds, at least 1, until one more change fits; null if all changes of the item were counted.
    create or replace function ops_spend_changes(owners text[], counts int[], size bigint)
      returns table (item int, admitted int, retry_after int) language plpgsql
    as $$
    #variable_conflict use_column
    begin
      perform set_config('synchronous_commit', 'off', true);
      insert into ops_budget (payer_id, budget)
        select o, 'management_changes' from unnest(owners) o order by o on conflict do nothing;
      -- Always in the same order, so that calls for several owners never wait for each other. The next statement sees what was
      -- written before.
      perform from ops_budget b where b.payer_id = any(owners) and b.budget = 'management_changes'
        order by b.payer_id for update;
      return query
      with timed as materialized (select ops_read_clock() as t),
      counted as materialized (
        select a.item, a.owner_id, a.count, t,
          array(select y from unnest(b.minute_times) y
                where y > t - interval '1 minute' and y <= t + interval '1 minute' order by y) as recent
        from timed, unnest(owners, counts) with ordinality a (owner_id, count, item)
        join ops_budget b on b.payer_id = a.owner_id and b.budget = 'management_changes'
      ),
      decided as materialized (
        select c.*, least(c.count, greatest(size - cardinality(c.recent), 0))::int as admitted from counted c
      ),
      results as materialized (
        select d.*, d.recent || array_fill(d.t, array[d.admitted]) as times from decided d
      ),
      stored as (
        update ops_budget b set minute_times = r.times
        from results r where b.payer_id = r.owner_id and b.budget = 'management_changes' and r.admitted > 0
      )
      select r.item::int, r.admitted,
        case when r.admitted < r.count then greatest(1, ceil(extract(
          epoch from r.times[cardinality(r.times) - size::int + 1] + interval '1 minute' - r.t)))::int end
      from results r;
    end $$;
  `,
};
