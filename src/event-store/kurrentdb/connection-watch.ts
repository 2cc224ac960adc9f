import { END, type KurrentDBClient } from '@kurrent/kurrentdb-client';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import { Backoff } from '../../runtime/backoff.js';
import { Unavailable } from '../port.js';
import type { RenewableClient } from './clients.js';
import { withCallTimeout } from './errors.js';

/**
 * Detects a lost connection to the server, even while no calls are made, by subscribing to a stream without events. A
 * server's connections close before another server can respond at its address, so the loss is detected before anything
 * reaches the other server.
 */
export class ConnectionWatch {
  private readonly listeners: (() => void)[] = [];
  private readonly waiting = new Set<{ readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  private running: Promise<void> | null = null;
  private isConnected = false;
  private isLost = false;
  private pause = new AbortController();

  constructor(
    private readonly stream: string,
    private readonly clients: RenewableClient,
    private readonly log: Log,
    private readonly signal: AbortSignal,
  ) {}

  /** True while the watch is running but not connected. It reports the loss, so subscribers need not. */
  get isAway(): boolean {
    return this.running !== null && !this.isConnected;
  }

  /** Calls the listener whenever the connection is lost. The first listener starts the watch. */
  onLoss(listener: () => void): void {
    this.listeners.push(listener);
    this.running ??= this.run();
  }

  /**
   * Waits until the watch is connected and would detect a loss. Returns immediately if there is no listener.
   * @throws Unavailable
   */
  async waitUntilConnected(timeoutMs: number): Promise<void> {
    if (!this.isAway) return;
    this.pause.abort();
    const connected = new Promise<void>((resolve, reject) => this.waiting.add({ resolve, reject }));
    await withCallTimeout(connected, timeoutMs, 'connect');
  }

  /** Reports a loss that was detected on another connection to the server. */
  reportLoss(): void {
    for (const listener of this.listeners) listener();
  }

  private async run(): Promise<void> {
    const backoff = new Backoff();
    while (!this.signal.aborted) {
      const error = await this.follow(() => {
        backoff.reset();
        this.handleConfirmation();
      });
      this.handleEnd(error);
      if (this.signal.aborted) return;
      this.pause = new AbortController();
      await backoff.wait(AbortSignal.any([this.signal, this.pause.signal]));
    }
  }

  private handleConfirmation(): void {
    this.isConnected = true;
    if (this.isLost) this.log.info({}, 'the event store answers again');
    this.isLost = false;
    for (const { resolve } of this.waiting) resolve();
    this.waiting.clear();
  }

  private handleEnd(error: Error | undefined): void {
    this.isConnected = false;
    const reason = error ? reasonOf(error) : 'closed';
    for (const { reject } of this.waiting) reject(new Unavailable(`connect: ${reason}`, { cause: error }));
    this.waiting.clear();
    if (this.signal.aborted) return;
    if (!this.isLost) this.log.warn({ reason }, 'lost the connection to the event store');
    this.isLost = true;
    this.reportLoss();
  }

  /** Follows the stream until the connection is lost or the signal is aborted. Returns the error, if any. */
  private follow(handleConfirmation: () => void): Promise<Error | undefined> {
    return new Promise((resolve) => {
      let client: KurrentDBClient;
      try {
        client = this.clients.getClient();
      } catch (error) {
        return resolve(error as Error);
      }
      const subscription = client.subscribeToStream(this.stream, { fromRevision: END });
      const end = (error?: Error): void => {
        this.signal.removeEventListener('abort', abort);
        subscription.unsubscribe().catch(() => undefined);
        resolve(error);
      };
      const abort = (): void => end();
      this.signal.addEventListener('abort', abort);
      subscription.on('data', () => undefined);
      subscription.on('confirmation', handleConfirmation);
      subscription.on('error', end); // may also occur after the end
      subscription.on('end', () => end());
      subscription.on('close', () => end());
    });
  }
}
