import type { Migration } from '../migrations.js';

/**
 * Posts that are being written (ADR-390): outside the event log and the read models, so neither exported nor rebuilt.
 */
export const drafts: Migration = {
  number: 9,
  name: 'drafts',
  sql: `
    create table ops_draft (
      draft_id text primary key,
      owner_id text not null,
      -- The endpoint that it is written for; null if none is chosen.
      endpoint_id text,
      title text,
      -- JSON text as sent, which only its client reads.
      content text not null,
      revision int not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- Actor of the last change.
      updated_by text not null
    );
    create index ops_draft_owner on ops_draft (owner_id, draft_id);
  `,
};
