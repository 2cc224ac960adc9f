import { KeyedSemaphore, Semaphore } from '../runtime/semaphore.js';
import { formatCount } from '../validation/wording.js';
import { FetchError } from './answer-receiver.js';
import { FETCH_MESSAGES } from './messages.js';

/** Maximum number of requests that run at a time. */
export interface RequestSlotLimits {
  readonly perHost: number;
  readonly inAll: number;
}

/** Limits how many requests run at a time: per host and in total. Further requests wait in order of arrival. */
export class RequestSlots {
  private readonly hosts: KeyedSemaphore;
  private readonly all: Semaphore;

  constructor({ perHost, inAll }: RequestSlotLimits) {
    this.hosts = new KeyedSemaphore(perHost);
    this.all = new Semaphore(inAll);
  }

  /**
   * Waits for a slot. While a request waits for its host, it takes no slot from other hosts.
   * @returns a function that releases the slot; call it once
   * @throws the signal's reason if it aborts
   */
  async acquire(hostname: string, signal: AbortSignal): Promise<() => void> {
    const releaseHost = await this.hosts.acquire(hostname, signal);
    try {
      const releaseAll = await this.all.acquire(signal);
      return () => {
        releaseAll();
        releaseHost();
      };
    } catch (error) {
      releaseHost();
      throw error;
    }
  }
}

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

/** Counts requests and response body bytes. */
export class TrafficMeter {
  requests = 0;
  bytes = 0;
}
