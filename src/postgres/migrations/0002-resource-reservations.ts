import type { Migration } from '../migrations.js';

/**
 * Reservations for resources that are being created (D-67). The function that reserves them is in
 * migrations/repeatable/.
 */
export const resourceReservations: Migration = {
  number: 2,
  name: 'resource-reservations',
  sql: `
    -- Resources that are being created, so that concurrent creations stay within the owner's cap (D-67). The read model
    -- discovery counts what exists; a reservation counts until it shows there.
    create table ops_resource_reservation (
      resource_id text primary key,
      owner_id text not null,
      kind text not null,
      at timestamptz not null default now()
    );
    create index ops_resource_reservation_owner on ops_resource_reservation (owner_id, kind);
  `,
};
