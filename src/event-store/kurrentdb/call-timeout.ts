import { withTimeLimit } from '../../runtime/time-limit.js';
import { Unavailable } from '../port.js';

/** Error for a call that was not answered in time. The server may still have carried it out. */
export class CallTimeout extends Unavailable {
  constructor(what: string, timeoutMs: number) {
    super(`${what}: no answer within ${timeoutMs} ms`);
    this.name = 'TimedOut';
  }
}

/**
 * Waits for a call's response. If the server is frozen, the client ignores its own deadlines.
 * @param timeoutMs above 0
 * @throws CallTimeout after the time limit; a later response is ignored
 */
export const withCallTimeout = <T>(response: Promise<T>, timeoutMs: number, what: string): Promise<T> =>
  withTimeLimit(response, timeoutMs, () => new CallTimeout(what, timeoutMs));
