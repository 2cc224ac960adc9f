import type { Migration } from '../migrations.js';

/** Uploads under way, and the mark of the store of uploaded files (D-90, D-92). */
export const uploads: Migration = {
  number: 8,
  name: 'uploads',
  sql: `
    -- Uploads under way: the room that each takes up under its owner's quota, and the name of its file in the store, which the
    -- sweep of remains therefore keeps. The process that receives an upload renews it; without that, it does not count. Once its
    -- event is appended, it counts until the read model shows the file.
    create table ops_upload (
      file text primary key,
      owner_id text not null,
      bytes bigint not null,
      -- The file's id once its content is known.
      media_id text,
      renewed_at timestamptz not null default now()
    );
    create index ops_upload_owner on ops_upload (owner_id);

    -- The mark of the store: one row. written_at: when it was written to the store; null before.
    create table ops_media_store (
      is_only boolean primary key default true check (is_only),
      mark text not null,
      written_at timestamptz
    );

    -- Files that events name and the store lacks, as the last sweep found them.
    create table ops_media_missing (file text primary key);
  `,
};
