import type { Migration } from '../migrations.js';

/**
 * Uploaded files that are about to be needed by a post, or to be deleted (D-90): outside the event log, so neither
 * exported nor rebuilt.
 */
export const mediaHolds: Migration = {
  number: 11,
  name: 'media-holds',
  sql: `
    create table ops_media_hold (
      media_id text not null,
      hold_id text not null,
      -- The post that is about to need the file; null if the file is about to be deleted.
      post_id text,
      until timestamptz not null,
      primary key (media_id, hold_id)
    );
    create index ops_media_hold_until on ops_media_hold (until);
  `,
};
