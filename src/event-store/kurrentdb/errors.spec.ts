import {
  AccessDeniedError,
  type ErrorType,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@kurrent/kurrentdb-client';
import { AppendTooLarge, StorageFailed, Unavailable, WrongExpectedRevision } from '../port.js';
import { CallTimeout, isStreamNotFound, isWrongPosition, toAppendError, toPortError } from './errors.js';

const service = (code: number, details: string) =>
  Object.assign(new Error(`${code} ${details}`), { code, details, metadata: undefined as never });

describe('errors of the client, as observed', () => {
  it.each([
    ['an append to a server that is down', service(14, 'UNAVAILABLE: No connection established')],
    ['a killed server', new UnavailableError(service(14, 'UNAVAILABLE: read ECONNRESET'))],
    ['a server that shuts down', new UnavailableError(service(13, 'INTERNAL'))],
    ['an append to a server that starts', new UnknownError(undefined, 'Could not recognize Server Is Not Ready')],
    ['a busy server', new UnknownError(undefined, 'Could not recognize Server Is Busy')],
    ['a consumer that is too slow', new UnknownError(service(10, 'Consumer too slow'))],
    ['a replaced client', new UnknownError(service(1, 'CANCELLED: Cancelled on client'))],
    ['a cluster without a node', new Error('Failed to discover after 10 attempts.')],
    [
      'a cluster without a leader',
      new UnknownError(undefined, 'Could not recognize No leader info available in response'),
    ],
  ])('%s: the call may be repeated', (_, error) => {
    const translated = toPortError(error, 'read case-1');
    expect(translated).toBeInstanceOf(Unavailable);
    expect(translated).toMatchObject({ cause: error, message: expect.stringMatching(/^read case-1: /) });
  });

  it('a server that does not know the call, or a proxy without a route: a sentence, and the call may be repeated', () => {
    const translated = toPortError(service(12, 'the server answered 404'), 'append to case-1');
    expect(translated).toBeInstanceOf(Unavailable);
    expect((translated as Error).message).toMatch(
      /^append to case-1: the server does not know this call \(12 the server answered 404\)\. /,
    );
  });

  it.each([
    ['a permanently deleted stream', StreamDeletedError.fromStreamName('case-1')],
    ['a bad request', new UnknownError(undefined, 'Could not recognize BadRequest')],
    ['any other error', new TypeError('x is not a function')],
  ])('%s: the error is not converted', (_, error) => {
    expect(toPortError(error, 'read case-1')).toBe(error);
  });

  it.each([
    ['a user without the right', new AccessDeniedError(), 'ACCESS_DENIED'],
    ['a deletion without the right', new AccessDeniedError(service(7, 'Access Denied')), 'ACCESS_DENIED'],
    ['an unknown user, or a wrong password', new AccessDeniedError(service(16, 'Unauthenticated')), 'UNAUTHENTICATED'],
  ])('%s: people must correct the user', (_, error, code) => {
    const translated = toPortError(error, 'read case-1');
    expect(translated).toBeInstanceOf(StorageFailed);
    expect(translated).toMatchObject({ code, cause: error });
    expect((translated as Error).message).toMatch(
      /^read case-1: the event store refuses the user of EVENT_STORE_URL\. /,
    );
  });

  it('does not convert the timeout of a call, which is Unavailable already', () => {
    const late = new CallTimeout('append', 10);
    expect(toPortError(late, 'append to case-1')).toBe(late);
    expect(late).toBeInstanceOf(Unavailable);
  });

  it.each([
    [4n, 4n],
    ['no_stream' as const, 'noStream'],
  ])('a wrong revision contains the actual one: %s', (current, actual) => {
    const error = new WrongExpectedVersionError(undefined, { streamName: 'case-1', current, expected: 2n });
    expect(toAppendError(error, 'case-1', 2n, [])).toEqual(new WrongExpectedRevision('case-1', 2n, actual as bigint));
  });

  it('converts the error of a server whose append limit is exceeded', () => {
    const error = MaxAppendSizeExceededError.fromMaxAppendSize(1_048_576);
    expect(toAppendError(error, 'case-1', 'noStream', [])).toBeInstanceOf(AppendTooLarge);
  });

  it('recognises a missing stream and a broken client by the error type', () => {
    const typed = (type: `${ErrorType}`) => Object.assign(new Error(), { type });
    expect(isStreamNotFound(typed('stream-not-found'))).toBe(true);
    expect(isStreamNotFound(typed('unavailable'))).toBe(false);
    expect(isWrongPosition(service(2, 'UNKNOWN: Unexpected ReadAllResult: Error'))).toBe(true);
    expect(isWrongPosition(service(2, 'UNKNOWN: Exception was thrown by handler.'))).toBe(false);
    expect(isWrongPosition(undefined)).toBe(false);
  });
});
