import { ErrorType, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import {
  appendBytes,
  AppendTooLarge,
  type ExpectedRevision,
  type NewEvent,
  Unavailable,
  WrongExpectedRevision,
} from '../port.js';

/**
 * Types of error after which the identical call may be repeated. The client's errors are told apart by `type`, and by
 * `code` where there is none: appends, subscriptions and reads go over different transports that fail differently.
 */
const PASSING_TYPES: ReadonlySet<unknown> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.CANCELLED,
  ErrorType.NOT_LEADER,
]);

/** gRPC: cancelled, deadline exceeded, resource exhausted, aborted, internal, unavailable. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([1, 4, 8, 10, 13, 14]);

/** What has neither: a server that starts, is busy or has no leader yet, and a cluster where nobody was found. */
const PASSING_MESSAGES = /Server Is (Not Ready|Busy|Too Busy)|No leader info|Failed to discover/;

interface ClientError {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

const asClientError = (error: unknown): ClientError => (typeof error === 'object' && error !== null ? error : {});

/** Whether a read says that its client is of no use any more, since it never recovers by itself. */
export const saysUnavailable = (error: unknown): boolean => asClientError(error).type === ErrorType.UNAVAILABLE;

/** Whether a read says that there is no such stream. */
export const saysStreamNotFound = (error: unknown): boolean => asClientError(error).type === ErrorType.STREAM_NOT_FOUND;

/** An error of the client as the port has it: {@link Unavailable} for what passes, itself for what does not. */
export const portError = (error: unknown, what: string): unknown => {
  if (error instanceof Unavailable) return error;
  const { type, code, message } = asClientError(error);
  const text = typeof message === 'string' ? message : '';
  const passes = PASSING_TYPES.has(type) || PASSING_CODES.has(code) || PASSING_MESSAGES.test(text);
  if (!passes) return error;
  return new Unavailable(`${what}: ${[type, code, text].filter(Boolean).join(', ')}`, { cause: error });
};

/** {@link portError} for an append, whose refusals have types of their own. */
export const appendError = (
  error: unknown,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): unknown => {
  if (error instanceof WrongExpectedVersionError) {
    const actual = typeof error.actualState === 'bigint' ? error.actualState : 'noStream';
    return new WrongExpectedRevision(stream, expected, actual);
  }
  if (asClientError(error).type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) {
    return new AppendTooLarge(stream, appendBytes(events));
  }
  return portError(error, `append to ${stream}`);
};
