import { StorageFailed, Unavailable } from './port.js';

/**
 * True for an outage of the event store that ends on its own. The store's connection logs its start and end once
 * (ADR-195), so waiting code need not. A full disk or a refused user is not an outage: operators must see it.
 */
export const isStoreOutage = (error: unknown): boolean =>
  error instanceof Unavailable && !(error instanceof StorageFailed);
