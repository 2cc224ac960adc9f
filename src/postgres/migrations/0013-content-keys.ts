import type { Migration } from '../migrations.js';

/** Keys of the content of events (D-100, ADR-413), each sealed with SECRETS_KEY. Without its key, content is erased. */
export const contentKeys: Migration = {
  number: 13,
  name: 'content keys',
  sql: `
    create table ops_content_key (
      key_id text primary key,
      -- Empty for events that belong to no owner.
      owner_id text not null,
      -- UTC, such as 2026-11; empty in the row that erases everything of the owner, also what is yet to come.
      month text not null,
      -- Null once it is erased.
      sealed bytea,
      erased_at timestamptz,
      -- Seals the new events of the owner and month, if any; keys that came from a file or another process do not.
      is_current boolean not null
    );
    create unique index ops_content_key_current on ops_content_key (owner_id, month) where is_current;
    create index ops_content_key_owner on ops_content_key (owner_id, month);
    create index ops_content_key_erased on ops_content_key (erased_at) where erased_at is not null;
  `,
};
