import type { Migration } from '../migrations.js';

/** Each taking of a lease is a term of its own: a release that comes late ends the term that it was meant for. */
export const leaseTerms: Migration = {
  number: 11,
  name: 'lease-terms',
  sql: 'alter table ops_lease add column term bigint not null generated always as identity',
};
