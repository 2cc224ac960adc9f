import type { Migration } from '../migrations.js';

/** Uploads under way (D-90). */
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
  `,
};
