import { Unavailable } from '../../event-store/port.js';
import { findLastingError, isUnavailable } from '../../postgres/unavailable.js';

/**
 * True for an error that the current work did not cause: the event store or the database is temporarily unavailable, or
 * rejects every call until an operator fixes the cause.
 */
export const isOutage = (error: unknown): boolean =>
  error instanceof Unavailable || isUnavailable(error) || findLastingError(error) !== null;
