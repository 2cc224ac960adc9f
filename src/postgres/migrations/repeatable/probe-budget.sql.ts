import type { RepeatableMigration } from '../../migrations.js';

/**
 * The functions for the probe budget, which limits how many requests clients can cause in any minute before their posts
 * are accepted, and how many bytes the responses may have (D-51).
 */
export const probeBudget: RepeatableMigration = {
  name: 'probe budget',
  sql: `
    -- Records one payment per item, or refuses it where it would exceed the endpoint's limit or the owner's, which is twice as
    -- high. A null limit means unlimited; an item larger than a limit needs all of it. Calls for one owner run one after
    -- another, so that the limits hold across processes. again_probes, again_bytes: what a retry of the item's request has to
    -- pay in total. retry_after: whole seconds, at least 1, after which a retry fits if nothing else is paid in the meantime;
    -- scope: the limit that causes this wait.
    create or replace function ops_pay_probes(
      endpoints text[], owners text[], probe_counts int[], byte_counts bigint[], again_probes int[], again_bytes bigint[],
      max_probes bigint, max_bytes bigint
    ) returns table (payment_id bigint, retry_after int, scope text)
      language plpgsql
    as $$
    #variable_conflict use_column
    declare
      key int;
      t timestamptz;
      is_over boolean;
      by_endpoint timestamptz;
      by_owner timestamptz;
    begin
      -- Always in the same order, so that calls for several owners never wait for each other.
      for key in select distinct hashtext(o) from unnest(owners) o order by 1 loop
        perform pg_advisory_xact_lock(hashtext('crosspost probes'), key);
      end loop;
      perform set_config('synchronous_commit', 'off', true);
      t := ops_read_clock();
      delete from ops_probe_payment where id in (
        select p.id from ops_probe_payment p where p.at < t - interval '2 minutes'
        order by p.at limit 500 for update skip locked);

      for i in 1 .. cardinality(endpoints) loop
        -- Newest first, the sums show how much was paid since each payment. The newest payment that leaves too little room
        -- has to be a minute old.
        select bool_or(s.endpoint_probes + least(probe_counts[i], max_probes) > max_probes
                    or s.endpoint_bytes + least(byte_counts[i], max_bytes) > max_bytes
                    or s.owner_probes + least(probe_counts[i], 2 * max_probes) > 2 * max_probes
                    or s.owner_bytes + least(byte_counts[i], 2 * max_bytes) > 2 * max_bytes),
               max(s.at) filter (where s.endpoint_probes + least(again_probes[i], max_probes) > max_probes
                                    or s.endpoint_bytes + least(again_bytes[i], max_bytes) > max_bytes),
               max(s.at) filter (where s.owner_probes + least(again_probes[i], 2 * max_probes) > 2 * max_probes
                                    or s.owner_bytes + least(again_bytes[i], 2 * max_bytes) > 2 * max_bytes)
          into is_over, by_endpoint, by_owner
          from (
            select p.at, sum(p.probes) over newest as owner_probes, sum(p.bytes) over newest as owner_bytes,
              coalesce(sum(p.probes) filter (where p.endpoint_id = endpoints[i]) over newest, 0) as endpoint_probes,
              coalesce(sum(p.bytes) filter (where p.endpoint_id = endpoints[i]) over newest, 0) as endpoint_bytes
            from ops_probe_payment p
            where p.owner_id = owners[i] and p.at > t - interval '1 minute' and p.at <= t + interval '1 minute'
            window newest as (order by p.at desc, p.id desc)
          ) s;
        payment_id := null;
        retry_after := null;
        scope := null;
        if is_over is not true then
          insert into ops_probe_payment (owner_id, endpoint_id, at, probes, bytes)
            values (owners[i], endpoints[i], t, probe_counts[i], byte_counts[i]) returning id into payment_id;
        else
          retry_after := greatest(
            1, ceil(extract(epoch from greatest(by_endpoint, by_owner) + interval '1 minute' - t)))::int;
          scope := case when by_owner > by_endpoint or by_endpoint is null then 'owner' else 'endpoint' end;
        end if;
        return next;
      end loop;
    end $$;

    -- Replaces the reserved amounts of payments with the amounts that were used.
    create or replace function ops_settle_probes(ids bigint[], probe_counts int[], byte_counts bigint[]) returns void
      language plpgsql
    as $$
    begin
      perform set_config('synchronous_commit', 'off', true);
      update ops_probe_payment p set probes = u.probes, bytes = u.bytes
        from unnest(ids, probe_counts, byte_counts) u (id, probes, bytes) where p.id = u.id;
    end $$;
  `,
};
