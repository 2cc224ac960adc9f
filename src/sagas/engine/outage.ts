import { Unavailable } from '../../event-store/port.js';
import { findLastingError, isUnavailable } from '../../postgres/unavailable.js';

/** True if the event store or the database is unavailable, or rejects every call until an operator fixes the cause. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Unavailable || isUnavailable(error) || findLastingError(error) !== null;
