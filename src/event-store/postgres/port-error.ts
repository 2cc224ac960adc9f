import { findLastingError } from '../../postgres/unavailable.js';
import { StorageFailed, Unavailable } from '../port.js';

/** Converts a PostgreSQL error to {@link StorageFailed} if an operator must fix the cause, else {@link Unavailable}. */
export const toPortError = (cause: unknown): Unavailable => {
  const lasting = findLastingError(cause);
  return lasting
    ? new StorageFailed(lasting.code, `the event store refuses the call: ${lasting.message}`, { cause })
    : new Unavailable('the event store did not answer', { cause });
};
