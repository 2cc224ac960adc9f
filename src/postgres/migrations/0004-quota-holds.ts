import type { Migration } from '../migrations.js';

/**
 * Posts of the month that are set aside for publications under way, so that several workers together never publish more
 * than an owner has (D-18). What has been published is counted by the posts' views; a hold counts until they show it.
 */
export const quotaHolds: Migration = {
  number: 4,
  name: 'quota-holds',
  sql: `
    create table ops_quota_hold (
      publication_id text primary key,
      owner_id text not null,
      worker_id text not null
    );
    create index ops_quota_hold_owner on ops_quota_hold (owner_id);

    -- Sets a post aside. used_up_at: how many published posts of the month leave nothing. Answers: taken; used_up, for
    -- this month or until the owner has more; busy: as many are under way as are left, and any of them may give its post
    -- back. A hold of a dead worker counts only where the attempt is still open: somebody will take that over.
    create function ops_take_quota(owner text, publication text, worker text, month text, used_up_at bigint)
      returns text language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      counted bigint;
      held bigint;
    begin
      perform pg_advisory_xact_lock(hashtextextended('quota ' || owner, 0));
      delete from ops_quota_hold h using posts.publication p
        where h.owner_id = owner and p.publication_id = h.publication_id and p.state not in ('queued', 'publishing');
      -- One statement, one picture: what is published is counted once, here or there.
      select coalesce((select u.published from posts.usage u where u.owner_month = owner || '/' || month), 0),
        (select count(*) from ops_quota_hold h left join posts.publication p on p.publication_id = h.publication_id
         where h.owner_id = owner and h.publication_id <> publication
           and (p.state = 'publishing' or coalesce(p.state, 'queued') = 'queued'
             and exists (select from ops_worker w where w.worker_id = h.worker_id)))
        into counted, held;
      if counted >= used_up_at then return 'used_up'; end if;
      if counted + held >= used_up_at then return 'busy'; end if;
      insert into ops_quota_hold (publication_id, owner_id, worker_id) values (publication, owner, worker)
        on conflict (publication_id) do update set worker_id = excluded.worker_id;
      return 'taken';
    end $$;
  `,
};
