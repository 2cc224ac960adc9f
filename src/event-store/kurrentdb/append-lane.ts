import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../port.js';
import { AppendCall } from './append-call.js';
import type { Written } from './append-message.js';
import { withCallTimeout } from './call-timeout.js';
import type { RenewableClient } from './clients.js';
import { type ConnectionOptions, readConnectionOptions } from './own-connection.js';

/** Pause after a failed connection attempt, in ms. Appends that arrive during the pause fail with the same error. */
const RECONNECT_MS = 50;

/** Keeps one append call open: opens it on demand, and reopens it after it has ended. */
export class AppendLane {
  private opening: Promise<AppendCall> | null = null;
  private call: AppendCall | null = null;
  /** Calls that have not ended: the current one and retired ones. */
  private readonly calls = new Set<AppendCall>();
  private options: ConnectionOptions | null = null;
  private hasConnected = false;
  private isClosed = false;
  /** Prefix of the correlation ids, followed by a counter. */
  private readonly prefix = newPrefix();
  private sent = 0;

  /**
   * @param onChange called when more appends may be sent
   * @param onReconnect called before anything is sent over a connection other than the first
   */
  constructor(
    private readonly clients: RenewableClient,
    private readonly timeoutMs: number,
    private readonly onChange: () => void,
    private readonly onReconnect: () => void,
  ) {}

  /** True if more appends may be sent now. */
  get isReady(): boolean {
    return !this.call?.isUsable || this.call.isReady;
  }

  /** Opens the first connection if it has not been opened yet. @throws the client's errors */
  async connect(): Promise<void> {
    if (!this.hasConnected) await this.open(performance.now() + this.timeoutMs);
  }

  /** @throws CallTimeout @throws Unavailable @throws the client's errors */
  send(encode: (correlation: string) => Uint8Array, until: number): Promise<Written> {
    const correlation = this.prefix + (this.sent++).toString(16).padStart(12, '0');
    if (this.call?.isUsable) return this.call.send(correlation, encode(correlation), until);
    return this.open(until).then((call) => call.send(correlation, encode(correlation), until));
  }

  close(): void {
    this.isClosed = true;
    for (const call of this.calls) call.cancel();
  }

  private open(until: number): Promise<AppendCall> {
    this.opening ??= this.openCall().finally(() => (this.opening = null));
    return withCallTimeout(this.opening, Math.max(1, until - performance.now()), 'connect');
  }

  private async openCall(): Promise<AppendCall> {
    let call: AppendCall;
    try {
      const client = this.clients.getClient();
      this.options ??= readConnectionOptions(this.clients.connectionString);
      call = await AppendCall.open(client, this.options, this.timeoutMs, () => this.handleChange());
    } catch (error) {
      await sleep(RECONNECT_MS);
      throw error;
    }
    this.calls.add(call);
    this.call = call;
    if (this.hasConnected) this.onReconnect();
    this.hasConnected = true;
    if (this.isClosed) {
      call.cancel();
      throw new Unavailable('the event store is closed');
    }
    return call;
  }

  private handleChange(): void {
    for (const call of this.calls) if (!call.isOpen) this.calls.delete(call);
    this.onChange();
  }
}

/** Returns the first 24 characters of a random UUID. */
const newPrefix = (): string => {
  const hex = randomBytes(9).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-`;
};
