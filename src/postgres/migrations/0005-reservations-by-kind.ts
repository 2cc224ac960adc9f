import type { Migration } from '../migrations.js';

/** Lets a resource reserve a place under several caps: of its owner, and of its project (D-82). */
export const reservationsByKind: Migration = {
  number: 5,
  name: 'reservations-by-kind',
  sql: `
    alter table ops_resource_reservation drop constraint ops_resource_reservation_pkey, add primary key (resource_id, kind);
  `,
};
