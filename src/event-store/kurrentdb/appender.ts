import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { type ExpectedRevision, NotAppended, Unavailable } from '../port.js';
import { AppendCall } from './append-call.js';
import { encodeAppend, type Written } from './append-message.js';
import { RenewableClient } from './clients.js';
import { isGivenUpByServer, isRememberedByClient, withCallTimeout } from './errors.js';
import { type ConnectionOptions, readConnectionOptions } from './own-connection.js';
import type { WireEvent } from './read-call.js';

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

/** Fraction of the time limit that an append may spend waiting; the rest is left for the response. */
const WAITING_PART = 0.9;

/** How many times to repeat an append that the server aborts. Each abort takes the server 2 to 3 s. */
const MAX_REPEATS = 3;

/** Default bounds. Beyond them, the server is not keeping up, and waiting would only use memory. */
const BOUNDS: AppendBounds = { sent: 512, sentBytes: 16 * 1_048_576, waiting: 10_000, waitingBytes: 64 * 1_048_576 };

/** Maximum number of appends and bytes in flight, and waiting. */
export interface AppendBounds {
  readonly sent: number;
  readonly sentBytes: number;
  readonly waiting: number;
  readonly waitingBytes: number;
}

/** An append to send. It must be safe to repeat: it is sent again if the server abandons it. */
interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly WireEvent[];
  /** Size, or an upper bound. */
  readonly bytes: number;
}

/** An append that is waiting to be sent. */
interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** Sends appends over one connection in order of arrival, with enough in flight to keep the server busy. */
export class Appender {
  private readonly client: RenewableClient;
  private readonly lane: AppendLane;
  private readonly bounds: AppendBounds;
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private sent = 0;
  private sentBytes = 0;

  /** @param onReconnect called before anything is sent over a connection other than the first */
  constructor(
    connectionString: string,
    private readonly timeoutMs: number,
    onReconnect: () => void,
    bounds: Partial<AppendBounds> = {},
  ) {
    this.client = new RenewableClient(connectionString);
    this.lane = new AppendLane(this.client, timeoutMs, () => this.startWaiting(), onReconnect);
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /** Opens the first connection unless it has been opened before. @throws the client's errors */
  connect(): Promise<void> {
    return this.lane.connect();
  }

  /**
   * Sends an append.
   * @throws NotAppended if it was not sent because too many were waiting, or it waited too long
   * @throws CallTimeout if no response arrived in time; other errors are the client's own
   */
  append(append: Append): Promise<Written> {
    return this.run(append.bytes, (until) => this.sendWithRepeats(append, until));
  }

  /** Makes any other call that changes a stream; it waits its turn like an append. @throws like {@link append} */
  call<T>(make: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    return this.run(0, (until) => this.makeCall(make, until));
  }

  async close(): Promise<void> {
    this.lane.close();
    await this.client.close();
  }

  private async run<T>(bytes: number, send: (until: number) => Promise<T>): Promise<T> {
    const until = performance.now() + this.timeoutMs;
    if (this.waiting.length === 0 && this.maySend(bytes)) this.count(bytes);
    else await this.waitForTurn(bytes);
    try {
      return await send(until);
    } finally {
      this.sent -= 1;
      this.sentBytes -= bytes;
      this.startWaiting();
    }
  }

  private async sendWithRepeats({ stream, expected, events }: Append, until: number): Promise<Written> {
    const encode = (correlation: string): Uint8Array => encodeAppend(correlation, stream, expected, events);
    for (let repeats = 0; ; repeats++) {
      try {
        return await this.lane.send(encode, until);
      } catch (error) {
        if (!isGivenUpByServer(error) || repeats === MAX_REPEATS || performance.now() >= until) throw error;
      }
    }
  }

  private async makeCall<T>(make: (client: KurrentDBClient) => Promise<T>, until: number): Promise<T> {
    const client = this.client.getClient();
    try {
      return await withCallTimeout(make(client), Math.max(1, until - performance.now()), 'append');
    } catch (error) {
      if (isRememberedByClient(error)) this.client.replaceClient(client);
      throw error;
    }
  }

  /** Waits until another append may be sent. @throws NotAppended */
  private waitForTurn(bytes: number): Promise<void> {
    const waitMs = this.timeoutMs * WAITING_PART;
    return new Promise((resolve, reject) => {
      const { waiting, waitingBytes } = this.bounds;
      if (this.waiting.length >= waiting || this.waitingBytes + bytes > waitingBytes)
        return reject(new NotAppended('the event store does not keep up: too many appends are waiting'));
      const entry: Waiting = {
        bytes,
        start: () => {
          clearTimeout(expiry);
          resolve();
        },
      };
      const expiry = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        this.waitingBytes -= bytes;
        const seconds = waitMs / 1_000;
        reject(
          new NotAppended(`not sent to the event store within ${seconds} s, because earlier appends are not answered`),
        );
      }, waitMs);
      this.waiting.push(entry);
      this.waitingBytes += bytes;
    });
  }

  private startWaiting(): void {
    for (let next = this.waiting[0]; next && this.maySend(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.waitingBytes -= next.bytes;
      this.count(next.bytes);
      next.start();
    }
  }

  private maySend(bytes: number): boolean {
    const { sent, sentBytes } = this.bounds;
    return this.lane.isReady && this.sent < sent && (this.sent === 0 || this.sentBytes + bytes <= sentBytes);
  }

  private count(bytes: number): void {
    this.sent += 1;
    this.sentBytes += bytes;
  }
}
