import type { RepeatableMigration } from '../../migrations.js';

/** Lets either a post be accepted with an uploaded file, or the file be deleted, in all processes (D-90). */
export const mediaHolds: RepeatableMigration = {
  name: 'hold-media',
  sql: `
    -- Holds files for a post that is about to be accepted or changed, all or none. Returns false, and holds none, while one
    -- of them is being deleted. What a dead process left behind expires.
    create or replace function ops_hold_media(files text[], hold text, post text, ms bigint) returns boolean
    language plpgsql
    as $$
    #variable_conflict use_variable
    begin
      perform ops_lock_media(files);
      if exists (select from ops_media_hold h where h.media_id = any(files) and h.post_id is null) then return false; end if;
      insert into ops_media_hold (media_id, hold_id, post_id, until)
        select f, hold, post, now() + ms * interval '1 millisecond' from unnest(files) f;
      return true;
    end $$;

    -- Claims a file that is about to be deleted, unless posts hold it. Returns the posts.
    create or replace function ops_claim_media(file text, hold text, ms bigint) returns text[]
    language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      posts text[];
    begin
      perform ops_lock_media(array[file]);
      posts := array(select distinct h.post_id from ops_media_hold h
                     where h.media_id = file and h.post_id is not null order by 1 limit 50);
      if cardinality(posts) = 0 then
        insert into ops_media_hold (media_id, hold_id, until) values (file, hold, now() + ms * interval '1 millisecond');
      end if;
      return posts;
    end $$;

    -- Makes calls for the same files run one after another, and forgets holds that have expired.
    create or replace function ops_lock_media(files text[]) returns void
    language plpgsql
    as $$
    #variable_conflict use_variable
    declare
      file text;
    begin
      for file in select distinct f from unnest(files) f order by 1 loop
        perform pg_advisory_xact_lock(hashtextextended('media ' || file, 0));
      end loop;
      delete from ops_media_hold h where h.media_id = any(files) and h.until < now();
      delete from ops_media_hold h where (h.media_id, h.hold_id) in (
        select o.media_id, o.hold_id from ops_media_hold o where o.until < now() limit 100 for update skip locked);
    end $$;
  `,
};
