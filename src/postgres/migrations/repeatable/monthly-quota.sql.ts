import type { RepeatableMigration } from '../../migrations.js';

/** Reserves posts in a monthly quota for publications in progress: all workers together never exceed it (D-18). */
export const monthlyQuota: RepeatableMigration = {
  name: 'monthly-quota',
  sql: `
    -- Reserves one post of the month for a publication. used_up_at: the number of published posts of the month that uses up
    -- the quota. Returns: taken; used_up, for this month or until the owner gets more posts; busy: the posts left are all
    -- reserved by other publications, any of which may release its reservation. The reservation of a dead worker counts only
    -- while the publication's attempt is open, because another worker will take it over.
    create or replace function ops_reserve_quota(owner text, publication text, worker text, month text, used_up_at bigint)
      returns text language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      published_posts bigint;
      reserved bigint;
    begin
      perform pg_advisory_xact_lock(hashtextextended('quota ' || owner, 0));
      delete from ops_quota_reservation h using posts.publication p
        where h.owner_id = owner and p.publication_id = h.publication_id and p.state not in ('queued', 'publishing');
      -- One statement sees one snapshot: a post counts once, either as published or as reserved.
      select coalesce((select u.published from posts.usage u where u.owner_month = owner || '/' || month), 0),
        (select count(*) from ops_quota_reservation h left join posts.publication p on p.publication_id = h.publication_id
         where h.owner_id = owner and h.publication_id <> publication
           and (p.state = 'publishing' or coalesce(p.state, 'queued') = 'queued'
             and exists (select from ops_worker w where w.worker_id = h.worker_id)))
        into published_posts, reserved;
      if published_posts >= used_up_at then return 'used_up'; end if;
      if published_posts + reserved >= used_up_at then return 'busy'; end if;
      insert into ops_quota_reservation (publication_id, owner_id, worker_id) values (publication, owner, worker)
        on conflict (publication_id) do update set worker_id = excluded.worker_id;
      return 'taken';
    end $$;
  `,
};
