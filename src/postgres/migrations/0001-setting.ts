import type { Migration } from '../migrations.js';

/** Facts about this database that every process must agree on, e.g. which SECRETS_KEY it was made with. */
export const setting: Migration = {
  number: 1,
  name: 'setting',
  sql: 'create table ops_setting (name text primary key, value text not null)',
};
