import type { Migration } from '../migrations.js';

/**
 * A post that nothing limits is confirmed by the append that accepts it: that its endpoint stands as it was seen. It is
 * spared a call of its own.
 */
export const appendConditions: Migration = {
  number: 10,
  name: 'append-conditions',
  sql: `
    -- Which of these endpoints do not stand at the version that they were seen at, by their places.
    create function ops_changed_endpoints(endpoints text[], versions text[]) returns int[] language plpgsql stable
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
      set plan_cache_mode = force_generic_plan
    as $$
    begin
      return array(
        select a.place::int from unnest(endpoints, versions) with ordinality a (endpoint_id, version, place)
        where not exists (
          select from discovery.endpoint e where e.endpoint_id = a.endpoint_id and e.version = a.version));
    end $$;
  `,
};
