import { isUnavailable } from '../postgres/unavailable.js';
import { StorageFailed, Unavailable } from './port.js';

/**
 * True for an outage of the event store or the database that ends by itself. The connection logs it and its end once (ADR-195), so
 * what waits for the end need not.
 */
export const isPassingOutage = (error: unknown): boolean =>
  (error instanceof Unavailable && !(error instanceof StorageFailed)) || isUnavailable(error);
