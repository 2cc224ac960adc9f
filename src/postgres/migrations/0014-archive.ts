import type { Migration } from '../migrations.js';
import { archiveTables } from './event-store-tables.js';

/** Index of the files that hold old events (D-101, ADR-415). */
export const archive: Migration = {
  number: 14,
  name: 'archive',
  sql: archiveTables('event_store'),
};
