import type { Migration } from '../migrations.js';

/** When keys for the management API were last used (D-93): no events, so neither exported nor rebuilt. */
export const keys: Migration = {
  number: 10,
  name: 'keys',
  sql: `
    create table ops_key_use (
      key_id text primary key,
      -- Milliseconds since 1970.
      at bigint not null,
      ip text not null
    ) with (fillfactor = 80);
  `,
};
