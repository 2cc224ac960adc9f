import { status } from '@grpc/grpc-js';
import { ErrorType, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import { withTimeLimit } from '../../runtime/sleep.js';
import {
  AppendTooLarge,
  countAppendBytes,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  StorageFailed,
  StreamDeleted,
  Unavailable,
  WrongExpectedRevision,
} from '../port.js';
import { KURRENTDB_MESSAGES } from './messages.js';

/**
 * Error types after which the identical call may be repeated. The client's errors are distinguished by `type`, or by
 * `code` if they have no type: appends, subscriptions and reads use different transports, which fail differently.
 */
const RETRYABLE_TYPES: ReadonlySet<unknown> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.CANCELLED,
  ErrorType.NOT_LEADER,
]);

const RETRYABLE_CODES: ReadonlySet<unknown> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
]);

/** Messages of errors with neither type nor code: the server is starting, busy, without a leader, or not found. */
const RETRYABLE_MESSAGES = /Server Is (Not Ready|Busy|Too Busy)|No leader info|Failed to discover/;

interface ClientError {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

const asClientError = (error: unknown): ClientError => (typeof error === 'object' && error !== null ? error : {});

/**
 * True if the client may keep failing with this error. Before its first append, it discovers the leader and the
 * server's features, and it remembers a failure of either.
 */
export const isRememberedByClient = (error: unknown): boolean => {
  const { type, message } = asClientError(error);
  return type === ErrorType.ACCESS_DENIED || isGivenUpByServer(error) || /^Failed to discover/.test(String(message));
};

/** Error message for a read of $all that does not start at an event (seen on 23.10.6). */
const WRONG_POSITION = 'Unexpected ReadAllResult: Error';

/** True if a read of $all or a subscription failed because of its start position. */
export const isWrongPosition = (error: unknown): boolean => {
  if (error instanceof WrongPosition) return true;
  const { code, message } = asClientError(error);
  return code === status.UNKNOWN && String(message).includes(WRONG_POSITION);
};

/** The log has no event at the position where a subscription starts, so the events that follow are unknown. */
export class WrongPosition extends Error {
  constructor(
    readonly position: Position,
    options?: { cause?: unknown },
  ) {
    super(KURRENTDB_MESSAGES.wrongPosition({ position: String(position) }), options);
    this.name = 'WrongPosition';
  }
}

/** True if a read failed because there is no such stream. */
export const isStreamNotFound = (error: unknown): boolean => asClientError(error).type === ErrorType.STREAM_NOT_FOUND;

/** True if a call failed because its stream was deleted permanently. */
export const isStreamDeleted = (error: unknown): boolean => asClientError(error).type === ErrorType.STREAM_DELETED;

/**
 * True if the server abandoned an append after its own time limit (2 s), which it reports as DEADLINE_EXCEEDED for a
 * batch append and as ABORTED for a single append. The append may have been written. The server responds in the same
 * way to a copy of an append that it has written but not yet replicated: it drops the copy and expects it to be sent
 * again.
 */
export const isGivenUpByServer = (error: unknown): boolean => {
  const { type, code } = asClientError(error);
  return type === ErrorType.DEADLINE_EXCEEDED || code === status.ABORTED;
};

/**
 * Converts a client error to a port error: {@link Unavailable} if the call may be repeated or is unknown to the server,
 * {@link StorageFailed} if the server denies the user access, otherwise the error itself.
 */
export const toPortError = (error: unknown, what: string): unknown => {
  if (error instanceof Unavailable) return error;
  const { type, code, message } = asClientError(error);
  if (type === ErrorType.ACCESS_DENIED) {
    // The user name or the password is wrong; a read also fails with this code if the user lacks permission.
    const denial = code === status.UNAUTHENTICATED ? 'UNAUTHENTICATED' : 'ACCESS_DENIED';
    return new StorageFailed(denial, KURRENTDB_MESSAGES.accessDenied({ what }), { cause: error });
  }
  const text = typeof message === 'string' ? message : '';
  if (code === status.UNIMPLEMENTED) return new Unavailable(KURRENTDB_MESSAGES.unknownCall({ what, reason: text }));
  const isRetryable = RETRYABLE_TYPES.has(type) || RETRYABLE_CODES.has(code) || RETRYABLE_MESSAGES.test(text);
  if (!isRetryable) return error;
  return new Unavailable(`${what}: ${[type, code, text].filter(Boolean).join(', ')}`, { cause: error });
};

/** Converts the error of an append like {@link toPortError}. Rejections of an append have separate types. */
export const toAppendError = (
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
    return new AppendTooLarge(stream, countAppendBytes(events));
  }
  if (isStreamDeleted(error)) return new StreamDeleted(stream);
  return toPortError(error, `append to ${stream}`);
};

/** Error for a call that got no response in time. The server may still have executed it. */
export class CallTimeout extends Unavailable {
  constructor(what: string, timeoutMs: number) {
    super(`${what}: no answer within ${timeoutMs} ms`);
    this.name = 'TimedOut';
  }
}

/**
 * Waits for a call's response. Needed because the client ignores its own deadlines if the server is frozen.
 * @param timeoutMs above 0
 * @throws CallTimeout after the time limit; a later response is ignored
 */
export const withCallTimeout = <T>(response: Promise<T>, timeoutMs: number, what: string): Promise<T> =>
  withTimeLimit(response, timeoutMs, () => new CallTimeout(what, timeoutMs));
