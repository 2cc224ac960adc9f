import type { RepeatableMigration } from '../../migrations.js';

/** Pacing of calls to the networks, across all workers. */
export const pacing: RepeatableMigration = {
  name: 'pacing',
  sql: `
    -- Reserves a time slot in each budget. budgets: [{request, key, limits: [[calls, per_ms], ...], waiter}, ...]; the budgets of
    -- one request are adjacent. Each slot is the earliest time at which no limit is exceeded; wait_ms is the time until then. A
    -- request that has to wait for a budget gets no slots in the budgets after it: they would be too early. A slot that is two
    -- seconds away or more is stored under the key "waiter" as well, if there is one; a shorter wait would be over before it is read.
    create or replace function ops_reserve_slots(budgets jsonb) returns table (request int, slot timestamptz, wait_ms int)
      language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      clock_time timestamptz;
      known timestamptz[];
      size int;
      b record;
      waiting int := -1;
    begin
      perform set_config('synchronous_commit', 'off', true);
      insert into ops_pace (key) select distinct x.key from jsonb_to_recordset(budgets) x(key text)
        where not exists (select from ops_pace p where p.key = x.key) order by 1 on conflict do nothing;
      perform 1 from ops_pace p where p.key in (select x.key from jsonb_to_recordset(budgets) x(key text))
        order by p.key for update;
      clock_time := clock_timestamp(); -- read while the locks are held
      for b in select (v->>'request')::int as request, v->>'key' as key, v->'limits' as limits, v->>'waiter' as waiter
               from jsonb_array_elements(budgets) with ordinality x(v, place) order by place loop
        continue when b.request = waiting;
        -- Slots far ahead were reserved before the clock was set back.
        known := array(select y from ops_pace p, unnest(p.slots) y
                       where p.key = b.key and y < clock_time + interval '1 hour' order by y);
        select greatest(clock_time, max(known[cardinality(known) - calls + 1] + per_ms * interval '1 ms')), max(calls)
          into slot, size
          from (select (l->>0)::int as calls, (l->>1)::int as per_ms from jsonb_array_elements(b.limits) l) limits;
        -- A row that was idle may have been deleted since.
        insert into ops_pace (key, slots) values (b.key, (known || slot)[greatest(1, cardinality(known) + 2 - size):])
          on conflict (key) do update set slots = excluded.slots;
        request := b.request;
        wait_ms := ceil(extract(epoch from slot - clock_time) * 1000);
        if slot > clock_time then waiting := b.request; end if;
        if wait_ms >= 2000 and b.waiter is not null then
          insert into ops_pace (key, slots) values (b.waiter, array[slot])
            on conflict (key) do update set slots = excluded.slots;
        end if;
        return next;
      end loop;
    end $$;

    -- Takes a turn for a call that no one waits for, or none: half of the account's calls must stay free for others, and "spare"
    -- had its last turn gap_ms ago. Returns the time until it is worth asking again, in ms; 0 if the turn was taken, and is now.
    create or replace function ops_take_spare_slot(account text, limits jsonb, spare text, gap_ms float8) returns int
      language plpgsql
    as $$
    declare
      clock_time timestamptz;
      known timestamptz[];
      spare_at timestamptz;
      free_at timestamptz;
      size int;
    begin
      perform set_config('synchronous_commit', 'off', true);
      insert into ops_pace (key) select x from unnest(array[account, spare]) x
        where not exists (select from ops_pace p where p.key = x) order by 1 on conflict do nothing;
      perform 1 from ops_pace p where p.key in (account, spare) order by p.key for update;
      clock_time := clock_timestamp(); -- read while the locks are held
      -- Slots far ahead were reserved before the clock was set back.
      select max(y) + gap_ms * interval '1 ms' into spare_at
        from ops_pace p, unnest(p.slots) y where p.key = spare and y < clock_time + interval '1 hour';
      if spare_at > clock_time then
        return ceil(extract(epoch from spare_at - clock_time) * 1000);
      end if;
      known := array(select y from ops_pace p, unnest(p.slots) y
                     where p.key = account and y < clock_time + interval '1 hour' order by y);
      -- With one call more, at most half of each limit is used; a limit of one or two calls must be unused.
      select max(known[cardinality(known) - greatest(calls / 2, 1) + 1] + per_ms * interval '1 ms'), max(calls)
        into free_at, size
        from (select (l->>0)::int as calls, (l->>1)::int as per_ms from jsonb_array_elements(limits) l) each_limit;
      if free_at > clock_time then
        return ceil(extract(epoch from free_at - clock_time) * 1000);
      end if;
      insert into ops_pace (key, slots)
        values (account, (known || clock_time)[greatest(1, cardinality(known) + 2 - size):]), (spare, array[clock_time])
        on conflict (key) do update set slots = excluded.slots;
      return 0;
    end $$;
  `,
};
