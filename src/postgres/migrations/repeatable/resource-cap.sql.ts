import type { RepeatableMigration } from '../../migrations.js';

/** Reserves room for new resources: all processes together never create more than an owner's plan allows (D-67, D-82). */
export const resourceCap: RepeatableMigration = {
  name: 'resource-cap',
  version: 2,
  sql: `
    -- Reserves room for a resource that is about to be created, unless the owner already has as many as the cap allows. kind:
    -- a table of the read model discovery, or project_output for the webhook outputs of a project, which then takes the place
    -- of the owner. existing: number of the owner's other resources, including resources that are being
    -- created. Calls for one owner and kind run one after another. A process that died may have created its resource, so its
    -- reservation counts for ten minutes, which is longer than an append and the read model take.
    create or replace function ops_reserve_resource(
      owner text, kind text, resource text, cap bigint, out is_reserved boolean, out existing bigint
    ) language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      shown text := case kind when 'project_output' then 'webhook_output' else kind end;
      holder text := case kind when 'project_output' then 'project_id' else 'owner_id' end;
      -- The main key and auditors' keys do not count (D-93).
      counted text := case kind when 'key' then ' and c.is_counted' else '' end;
    begin
      perform pg_advisory_xact_lock(hashtextextended('resources ' || kind || ' ' || owner, 0));
      delete from ops_resource_reservation where resource_id in (
        select r.resource_id from ops_resource_reservation r where r.at < now() - interval '10 minutes'
        limit 500 for update skip locked);
      -- One statement sees one snapshot: a resource counts once, either as shown or as reserved.
      execute format(
        'select (select count(*) from discovery.%1$I c where c.%3$I = $1 and c.%2$I <> $3' || counted || ')
              + (select count(*) from ops_resource_reservation r
                 where r.owner_id = $1 and r.kind = $2 and r.resource_id <> $3
                   and not exists (select from discovery.%1$I c where c.%2$I = r.resource_id)),
           exists (select from discovery.%1$I c where c.%2$I = $3)
             or exists (select from ops_resource_reservation r where r.resource_id = $3 and r.kind = $2)',
        shown, shown || '_id', holder)
        using owner, kind, resource into existing, is_reserved;
      if is_reserved or existing >= cap then return; end if;
      insert into ops_resource_reservation (resource_id, owner_id, kind) values (resource, owner, kind);
      is_reserved := true;
    end $$;

    -- The same for a post that is about to be planned (D-79). The read model planned-posts keeps the number of each owner's posts;
    -- before it has been rebuilt by this program, they are counted.
    create or replace function ops_reserve_planned_post(
      owner text, post text, cap bigint, out is_reserved boolean, out existing bigint
    ) language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      planned constant text := case when to_regclass('planned_posts.planned_owner') is null
        then '(select count(*) from planned_posts.planned_post p where p.owner_id = $1)'
        else 'coalesce((select o.posts from planned_posts.planned_owner o where o.owner_id = $1), 0)' end;
    begin
      perform pg_advisory_xact_lock(hashtextextended('planned posts ' || owner, 0));
      delete from ops_resource_reservation where resource_id in (
        select r.resource_id from ops_resource_reservation r where r.at < now() - interval '10 minutes'
        limit 500 for update skip locked);
      execute 'select ' || planned || ' + (select count(*) from ops_resource_reservation r
          where r.owner_id = $1 and r.kind = ''planned_post'' and r.resource_id <> $2
            and not exists (select from planned_posts.planned_post p where p.post_id = r.resource_id))'
        using owner, post into existing;
      is_reserved := existing < cap;
      if is_reserved then
        insert into ops_resource_reservation (resource_id, owner_id, kind) values (post, owner, 'planned_post')
          on conflict do nothing;
      end if;
    end $$;
  `,
};
