import {
  AccessDeniedError,
  type ErrorType,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@kurrent/kurrentdb-client';
import { AppendTooLarge, Unavailable, WrongExpectedRevision } from '../port.js';
import { TimedOut } from './call-timer.js';
import { appendError, portError, saysStreamNotFound, saysUnavailable } from './errors.js';

const service = (code: number, details: string) =>
  Object.assign(new Error(`${code} ${details}`), { code, details, metadata: undefined as never });

describe('errors of the client, as they were seen', () => {
  it.each([
    ['a server that is down, to an append', service(14, 'UNAVAILABLE: No connection established')],
    ['a server that was killed', new UnavailableError(service(14, 'UNAVAILABLE: read ECONNRESET'))],
    ['a server that ends', new UnavailableError(service(13, 'INTERNAL'))],
    ['a server that starts, to an append', new UnknownError(undefined, 'Could not recognize Server Is Not Ready')],
    ['a server that is busy', new UnknownError(undefined, 'Could not recognize Server Is Busy')],
    ['a consumer that was too slow', new UnknownError(service(10, 'Consumer too slow'))],
    ['a client that was replaced', new UnknownError(service(1, 'CANCELLED: Cancelled on client'))],
    ['a cluster without a node', new Error('Failed to discover after 10 attempts.')],
    [
      'a cluster without a leader',
      new UnknownError(undefined, 'Could not recognize No leader info available in response'),
    ],
  ])('%s: may be repeated', (_, error) => {
    const translated = portError(error, 'read case-1');
    expect(translated).toBeInstanceOf(Unavailable);
    expect(translated).toMatchObject({ cause: error, message: expect.stringMatching(/^read case-1: /) });
  });

  it.each([
    ['access denied', new AccessDeniedError()],
    ['a stream deleted for good', StreamDeletedError.fromStreamName('case-1')],
    ['a bad request', new UnknownError(undefined, 'Could not recognize BadRequest')],
    ['anything else', new TypeError('x is not a function')],
  ])('%s: is left as it is', (_, error) => {
    expect(portError(error, 'read case-1')).toBe(error);
  });

  it('a call that took too long is unavailable already', () => {
    const late = new TimedOut('append', 10);
    expect(portError(late, 'append to case-1')).toBe(late);
    expect(late).toBeInstanceOf(Unavailable);
  });

  it.each([
    [4n, 4n],
    ['no_stream' as const, 'noStream'],
  ])('a wrong revision tells the actual one: %s', (current, actual) => {
    const error = new WrongExpectedVersionError(undefined, { streamName: 'case-1', current, expected: 2n });
    expect(appendError(error, 'case-1', 2n, [])).toEqual(new WrongExpectedRevision('case-1', 2n, actual as bigint));
  });

  it('an append that is too large for the server is too large for us', () => {
    const error = MaxAppendSizeExceededError.fromMaxAppendSize(1_048_576);
    expect(appendError(error, 'case-1', 'noStream', [])).toBeInstanceOf(AppendTooLarge);
  });

  it('tells a missing stream and a broken reader by their types', () => {
    const typed = (type: `${ErrorType}`) => Object.assign(new Error(), { type });
    expect(saysStreamNotFound(typed('stream-not-found'))).toBe(true);
    expect(saysStreamNotFound(typed('unavailable'))).toBe(false);
    expect(saysUnavailable(typed('unavailable'))).toBe(true);
    expect(saysUnavailable(service(14, 'UNAVAILABLE'))).toBe(false);
    expect(saysUnavailable(undefined)).toBe(false);
  });
});
