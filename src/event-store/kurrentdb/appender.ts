import { randomBytes } from 'node:crypto';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { type ExpectedRevision, NotAppended } from '../port.js';
import { AppendCall, type Written } from './append-call.js';
import { encodeAppend } from './append-message.js';
import { CallTimeout, withCallTimeout } from './call-timeout.js';
import { RenewableClient } from './clients.js';
import { isGivenUpByServer, isRememberedByClient, isUnimplemented } from './errors.js';
import type { WireEvent } from './event-text.js';

/** Calls over the one connection. One call alone sends its messages one after the other, each when the one before it has left. */
const CALLS = 4;

/** Part of the time limit that an append may wait: what is sent has the rest for its answer. */
const WAITING_PART = 0.9;

/** Most repeats of an append that the server has given up, within the caller's time limit. The server takes 2 to 3 s each time. */
const MAX_REPEATS = 3;

/**
 * Most appends and bytes that are sent and not answered, and that wait. Beyond the latter the server does not keep up, and
 * waiting would only use memory.
 */
const BOUNDS: AppendBounds = { sent: 512, sentBytes: 16 * 1_048_576, waiting: 10_000, waitingBytes: 64 * 1_048_576 };

/** Bounds of {@link Appender}. */
export interface AppendBounds {
  readonly sent: number;
  readonly sentBytes: number;
  readonly waiting: number;
  readonly waitingBytes: number;
}

/** An append to send. It must be safe to repeat: it is sent again if the server gives it up. */
export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly WireEvent[];
  /** Its size, or an upper bound of it. */
  readonly bytes: number;
}

/** An append that waits until it may be sent. */
interface Waiting {
  readonly bytes: number;
  readonly lane: Lane;
  readonly start: () => void;
}

/** Sends an append with a call of its own. */
export type SendSingly = (client: KurrentDBClient, append: Append) => Promise<Written>;

/**
 * Sends appends over one connection, many at the same time, first come, first served. So many are on their way
 * that the server is always busy, and the others wait.
 */
export class Appender {
  private readonly client: RenewableClient;
  private readonly lanes: readonly Lane[];
  private readonly bounds: AppendBounds;
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private sent = 0;
  private sentBytes = 0;
  /** True once the server has said that it does not know the call for many appends (before 21.10). */
  private hasNoBatches = false;

  constructor(
    connectionString: string,
    private readonly timeoutMs: number,
    private readonly sendSingly: SendSingly,
    bounds: Partial<AppendBounds> = {},
  ) {
    this.client = new RenewableClient(connectionString);
    this.lanes = Array.from({ length: CALLS }, () => new Lane(() => this.startWaiting()));
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Sends an append.
   * @throws NotAppended it was not sent: too many wait, or it has waited too long
   * @throws CallTimeout it was not answered in time; other errors are the client's own
   */
  append(append: Append): Promise<Written> {
    return this.run(append.stream, append.bytes, (until, lane) => this.sendWithRepeats(append, until, lane));
  }

  /** Makes another call that changes a stream, in its turn. @throws like {@link append} */
  call<T>(stream: string, make: (client: KurrentDBClient) => Promise<T>): Promise<T> {
    return this.run(stream, 0, (until) => this.makeCall(make, until));
  }

  async close(): Promise<void> {
    for (const lane of this.lanes) lane.cancel();
    await this.client.close();
  }

  private async run<T>(stream: string, bytes: number, send: (until: number, lane: Lane) => Promise<T>): Promise<T> {
    const until = performance.now() + this.timeoutMs;
    const lane = this.laneOf(stream);
    await this.waitForTurn(bytes, lane);
    try {
      return await send(until, lane);
    } finally {
      this.sent -= 1;
      this.sentBytes -= bytes;
      this.startWaiting();
    }
  }

  private laneOf(stream: string): Lane {
    let hash = 0;
    for (let i = 0; i < stream.length; i++) hash = (hash * 31 + stream.charCodeAt(i)) >>> 0;
    return this.lanes[hash % CALLS] as Lane;
  }

  private async sendWithRepeats(append: Append, until: number, lane: Lane): Promise<Written> {
    for (let repeats = 0; ; repeats++) {
      try {
        return await this.send(append, until, lane);
      } catch (error) {
        if (isUnimplemented(error)) this.hasNoBatches = true;
        else if (!isGivenUpByServer(error) || repeats === MAX_REPEATS || performance.now() >= until) throw error;
      }
    }
  }

  private async send(append: Append, until: number, lane: Lane): Promise<Written> {
    if (this.hasNoBatches) return this.makeCall((client) => this.sendSingly(client, append), until);
    const { stream, expected, events } = append;
    return lane.send(this.client, (correlation) => encodeAppend(correlation, stream, expected, events), until);
  }

  private async makeCall<T>(make: (client: KurrentDBClient) => Promise<T>, until: number): Promise<T> {
    const client = this.client.getClient();
    try {
      return await withCallTimeout(make(client), remaining(until), 'append');
    } catch (error) {
      if (isRememberedByClient(error)) this.client.replaceClient(client);
      throw error;
    }
  }

  /** Waits until another append may be sent. @throws NotAppended */
  private waitForTurn(bytes: number, lane: Lane): Promise<void> {
    const waitMs = this.timeoutMs * WAITING_PART;
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0 && this.maySend(bytes, lane)) {
        this.count(bytes);
        return resolve();
      }
      const { waiting, waitingBytes } = this.bounds;
      if (this.waiting.length >= waiting || this.waitingBytes + bytes > waitingBytes)
        return reject(new NotAppended('the event store does not keep up: too many appends wait'));
      const entry: Waiting = {
        bytes,
        lane,
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
    for (let next = this.waiting[0]; next && this.maySend(next.bytes, next.lane); next = this.waiting[0]) {
      this.waiting.shift();
      this.waitingBytes -= next.bytes;
      this.count(next.bytes);
      next.start();
    }
  }

  private maySend(bytes: number, lane: Lane): boolean {
    const { sent, sentBytes } = this.bounds;
    return lane.isReady && this.sent < sent && (this.sent === 0 || this.sentBytes + bytes <= sentBytes);
  }

  private count(bytes: number): void {
    this.sent += 1;
    this.sentBytes += bytes;
  }
}

/** One of the calls. It is opened when it is needed, and again after it has ended. */
class Lane {
  private opening: Promise<AppendCall> | null = null;
  private call: AppendCall | null = null;
  private readonly retired = new Set<AppendCall>();
  /** Start of the ids that the answers repeat; they end with a number. */
  private readonly prefix = newPrefix();
  private sent = 0;

  constructor(private readonly onChange: () => void) {}

  /** True unless the connection takes no more at present. */
  get isReady(): boolean {
    return this.call === null || this.call.hasEnded || this.call.isReady;
  }

  async send(clients: RenewableClient, encode: (correlation: string) => Uint8Array, until: number): Promise<Written> {
    const correlation = this.prefix + (this.sent++).toString(16).padStart(12, '0');
    const message = encode(correlation);
    const call = this.call && !this.call.hasEnded ? this.call : await this.open(clients, until);
    const sentAt = performance.now();
    try {
      return await withCallTimeout(call.send(correlation, message), remaining(until), 'append');
    } catch (error) {
      if (error instanceof CallTimeout) this.handleTimeout(call, correlation, sentAt);
      throw error;
    }
  }

  cancel(): void {
    for (const call of this.retired) call.cancel();
    this.call?.cancel();
  }

  private open(clients: RenewableClient, until: number): Promise<AppendCall> {
    this.opening ??= AppendCall.open(clients.getClient(), this.onChange)
      .then((call) => (this.call = call))
      .finally(() => (this.opening = null));
    return withCallTimeout(this.opening, remaining(until), 'connect');
  }

  /**
   * Forgets an append whose answer did not come in time. Its neighbours still wait for theirs. If the server has answered nothing
   * at all since it was sent, the call may be dead: later appends use a new one.
   */
  private handleTimeout(call: AppendCall, correlation: string, sentAt: number): void {
    if (!call.hasAnsweredSince(sentAt) && this.call === call) {
      this.call = null;
      for (const each of this.retired) if (each.hasEnded) this.retired.delete(each);
      this.retired.add(call);
      call.retire();
    }
    call.forget(correlation);
    this.onChange();
  }
}

const remaining = (until: number): number => Math.max(1, until - performance.now());

/** Returns the first 24 characters of a random UUID. */
const newPrefix = (): string => {
  const hex = randomBytes(9).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-`;
};
