import { StorageFailed, Unavailable } from './port.js';

/**
 * True for an outage of the event store that ends by itself. The store's connection logs it and its end once (ADR-195), so what
 * waits for the end need not. A full disk or a refused user is none: people must see it.
 */
export const isStoreOutage = (error: unknown): boolean =>
  error instanceof Unavailable && !(error instanceof StorageFailed);
