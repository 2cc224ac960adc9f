import type { Migration } from '../migrations.js';

/**
 * The pace towards the networks, shared by all workers: when each budget's latest calls were, or are to be. Names are of
 * chats, and hashes of what accounts are known by.
 */
export const pace: Migration = {
  number: 6,
  name: 'pace',
  sql: `
    create table ops_pace (
      key text primary key,
      -- Oldest first; no more than a budget's largest number of calls.
      turns timestamptz[] not null default '{}'
    ) with (fillfactor = 50);

    -- budgets: [{ask, key, limits: [[calls, per_ms], ...]}, ...], those of one ask side by side. Gives each its earliest
    -- turn at which no limit is exceeded, and answers it, and how far it is away. An ask that has to wait for a budget gets
    -- no turns of those after it: they would come too early.
    create function ops_take_turns(budgets jsonb) returns table (ask int, turn timestamptz, wait_ms int)
      language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      now_ timestamptz;
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
      now_ := clock_timestamp(); -- read when the locks are held
      for b in select (v->>'ask')::int as ask, v->>'key' as key, v->'limits' as limits
               from jsonb_array_elements(budgets) with ordinality x(v, place) order by place loop
        continue when b.ask = waiting;
        -- Turns far ahead are of a clock that has been set back since.
        select array(select y from unnest(p.turns) y where y < now_ + interval '1 hour' order by y)
          into known from ops_pace p where p.key = b.key;
        select greatest(now_, max(known[cardinality(known) - calls + 1] + per_ms * interval '1 ms')), max(calls)
          into turn, size
          from (select (l->>0)::int as calls, (l->>1)::int as per_ms from jsonb_array_elements(b.limits) l) limits;
        update ops_pace p set turns = (known || turn)[greatest(1, cardinality(known) + 2 - size):] where p.key = b.key;
        ask := b.ask;
        wait_ms := ceil(extract(epoch from turn - now_) * 1000);
        if turn > now_ then waiting := b.ask; end if;
        return next;
      end loop;
    end $$;
  `,
};
