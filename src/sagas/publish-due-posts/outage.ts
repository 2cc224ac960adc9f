import { Unavailable } from '../../event-store/port.js';
import { isUnavailable } from '../../postgres/unavailable.js';

/** True for an error that says nothing about the publication: the event store or the database is away for a time. */
export const isOutage = (error: unknown): boolean => error instanceof Unavailable || isUnavailable(error);
