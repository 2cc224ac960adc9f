import type { Migration } from '../migrations.js';

/** The latest recovery of the log, so that every statement that claims work can see it (D-80). */
export const recovery: Migration = {
  number: 6,
  name: 'recovery',
  sql: `
    create table ops_recovery (
      id boolean primary key default true check (id),
      -- Id of the latest recovery; null before the first.
      recovery_id text,
      -- Position of its event, zero-padded. What was queued before it is not sent.
      position text not null default '',
      -- Data of its event, for readers; null before the first.
      facts jsonb,
      -- True until everything that waited is marked: nothing is published in the meantime.
      is_open boolean not null default false,
      -- Id of the latest recovery for which this database's transparency log has ended, if it had to; null before the first.
      log_recovery_id text
    );
    insert into ops_recovery default values;
  `,
};
