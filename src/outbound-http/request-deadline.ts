import { formatCount } from '../validation/wording.js';
import { FetchError } from './fetch-error.js';
import { FETCH_MESSAGES } from './messages.js';

/** Ends a request after a timeout or when its caller aborts, with a reason to throw. */
export class RequestDeadline {
  private readonly timer: NodeJS.Timeout;
  private controller: AbortController | null = null;
  private reason: FetchError | null = null;
  private listener: (reason: FetchError) => void = () => undefined;
  private readonly endByCaller = (): void =>
    this.end(new FetchError('aborted', FETCH_MESSAGES.aborted, { isPermanent: false }));

  constructor(
    timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => {
      const message = FETCH_MESSAGES.tookTooLong({ ms: formatCount(timeoutMs) });
      this.end(new FetchError('timeout', message, { isPermanent: false }));
    }, timeoutMs);
    if (caller?.aborted) this.endByCaller();
    else caller?.addEventListener('abort', this.endByCaller, { once: true });
  }

  get isOver(): boolean {
    return this.reason !== null;
  }

  /** Aborted at the deadline, or when the caller aborts. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController(); // created on demand, because it costs more than the rest of a deadline
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /**
   * Calls a function at the deadline or when the caller aborts, or at once if either has already happened. Replaces any
   * earlier function.
   */
  onEnd(listener: (reason: FetchError) => void): void {
    this.listener = listener;
    if (this.reason) listener(this.reason);
  }

  /** Stops the timer. Call it when the request is over. */
  clear(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.endByCaller);
  }

  private end(reason: FetchError): void {
    if (this.reason) return;
    this.reason = reason;
    this.clear();
    this.controller?.abort(reason);
    this.listener(reason);
  }
}
