import { withTimeLimit } from '../../runtime/time-limit.js';
import { Unavailable } from '../port.js';

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
