import type { RepeatableMigration } from '../../migrations.js';

/** Keeps uploads within their owner's quota and pace, exactly across all processes (D-90). */
export const uploadQuota: RepeatableMigration = {
  name: 'upload-quota',
  sql: `
    -- The bytes of an owner's files and of its uploads under way, except one. An upload counts while its process renews it. Once its
    -- content is known, it counts until the read model shows the file, for at most ten minutes; several uploads of one content count
    -- once.
    create or replace function ops_media_used(owner text, except_file text) returns bigint language plpgsql
    as $$
    declare
      used bigint;
    begin
      if to_regclass('media.holding') is null then return 0; end if;
      -- One statement sees one snapshot: a file counts once, either as shown or as under way.
      execute 'select coalesce((select h.bytes from media.holding h where h.owner_id = $1), 0)
          + coalesce((select sum(u.bytes) from ops_upload u where u.owner_id = $1 and u.file <> $2
              and u.media_id is null and u.renewed_at > now() - interval ''30 seconds''), 0)
          + coalesce((select sum(o.bytes) from (
              select max(u.bytes) as bytes from ops_upload u where u.owner_id = $1 and u.file <> $2
                and u.renewed_at > now() - interval ''10 minutes''
                and not exists (select from media.file f where f.media_id = u.media_id)
              group by u.media_id having u.media_id is not null) o), 0)'
        into used using owner, except_file;
      return used;
    end $$;

    -- Reserves room for an upload, or more room, or renews it. Only the start of an upload (payer is not null) counts in the pace and
    -- among the uploads at once. media: the id of the content once it is known; content that the owner has already takes no room.
    -- verdict: reserved, quota, too_many. allowed and per_minute: null if unlimited. Calls for one owner run one after another.
    create or replace function ops_reserve_upload(
      owner text, name text, size bigint, media text, allowed bigint, payer text, per_minute bigint, at_once int,
      out verdict text, out used bigint, out retry_after int
    ) language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      is_known boolean := false;
      recent timestamptz[];
      t timestamptz;
    begin
      perform pg_advisory_xact_lock(hashtextextended('uploads ' || owner, 0));
      used := ops_media_used(owner, name);
      if media is not null then
        execute 'select exists (select from media.file f where f.media_id = $1)
            or exists (select from ops_upload u where u.media_id = $1 and u.file <> $2
                       and u.renewed_at > now() - interval ''10 minutes'')' into is_known using media, name;
      end if;
      verdict := 'quota';
      if used + size > allowed and not is_known then return; end if;
      verdict := 'too_many';
      if payer is not null then
        retry_after := 1;
        if (select count(*) from ops_upload u where u.owner_id = owner and u.file <> name and u.media_id is null
            and u.renewed_at > now() - interval '30 seconds') >= at_once then return; end if;
        if per_minute is not null then
          insert into ops_budget (payer_id, budget) values (payer, 'uploads') on conflict do nothing;
          select ops_read_clock() into t;
          select array(select y from unnest(b.minute_times) y
              where y > t - interval '1 minute' and y <= t + interval '1 minute' order by y)
            into recent from ops_budget b where b.payer_id = payer and b.budget = 'uploads' for update;
          if cardinality(recent) >= per_minute then
            retry_after := greatest(1, ceil(extract(
              epoch from recent[cardinality(recent) - per_minute::int + 1] + interval '1 minute' - t)))::int;
            return;
          end if;
          update ops_budget b set minute_times = recent || t where b.payer_id = payer and b.budget = 'uploads';
        end if;
      end if;
      insert into ops_upload as u (file, owner_id, bytes, media_id) values (name, owner, size, media)
        on conflict (file) do update
          set bytes = excluded.bytes, media_id = coalesce(excluded.media_id, u.media_id), renewed_at = now();
      verdict := 'reserved';
      retry_after := null;
    end $$;
  `,
};
