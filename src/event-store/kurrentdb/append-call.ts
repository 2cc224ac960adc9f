import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { Unavailable } from '../port.js';
import { decodeAnswer, type Written } from './append-message.js';
import { CallTimeout } from './errors.js';
import { type ConnectionOptions, type GrpcCall, openOwnCall } from './own-connection.js';

/** Maximum number of bytes buffered for the connection. Beyond this, appends wait in the process instead. */
const MAX_UNSENT_BYTES = 1_048_576;

/**
 * If the server is silent for this fraction of the time limit, it counts as failed. Below 1, because an append may
 * already have spent part of the limit waiting.
 */
const SILENT_PART = 0.5;

interface Pending {
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
  /** `performance.now()` timestamp, in ms. */
  readonly sentAt: number;
  /** Response deadline, on the same clock. */
  readonly until: number;
}

/**
 * One `BatchAppend` call for many concurrent appends. Appends made in one turn of the event loop are sent in one write,
 * and the server processes them together. Responses may arrive in any order. An append that gets no response in time is
 * forgotten; the others continue. If the server has not responded to anything since that append was sent, the call may
 * be dead: it is retired, and ends once its last append has a response or is forgotten. If the server has been silent
 * for at least half of the time limit, the client is notified that the server has failed. When the call ends, its
 * pending appends fail.
 */
export class AppendCall {
  private readonly pending = new Map<string, Pending>();
  private call: GrpcCall | null = null;
  private unsent: Uint8Array[] = [];
  private unsentBytes = 0;
  private isEnded = false;
  private isRetired = false;
  private answeredAt = 0;
  private expiry: NodeJS.Timeout | null = null;
  private expiresAt = Infinity;

  private constructor(
    private readonly timeoutMs: number,
    private readonly onChange: () => void,
  ) {}

  /**
   * Opens a call over a separate connection. The first append shows whether the server supports the call.
   * @param timeoutMs time limit for the connection, and for an append that has not waited
   * @param onChange called when more appends may be sent, and when the call has ended
   * @throws the client's errors if it finds no node of the cluster, or the node does not respond
   */
  static async open(
    client: KurrentDBClient,
    options: ConnectionOptions,
    timeoutMs: number,
    onChange: () => void,
  ): Promise<AppendCall> {
    const call = new AppendCall(timeoutMs, onChange);
    call.call = await openOwnCall(client, streams.StreamsService.batchAppend.path, options, timeoutMs, {
      onMessage: (message) => call.handleAnswer(message),
      onDrain: onChange,
      onGoAway: () => call.retire(),
      onEnd: (error) => call.handleEnd(error ?? new Unavailable('the server ended the call')),
    });
    return call;
  }

  get isOpen(): boolean {
    return !this.isEnded;
  }

  /** True if appends may use the call. */
  get isUsable(): boolean {
    return !this.isEnded && !this.isRetired;
  }

  /** True if more appends may be sent. */
  get isReady(): boolean {
    return this.unsentBytes + this.call!.unsentBytes < MAX_UNSENT_BYTES;
  }

  /**
   * Sends an append.
   * @param correlation unique UUID
   * @param until response deadline, as a `performance.now()` timestamp
   * @throws CallTimeout @throws Unavailable @throws the client's errors
   */
  send(correlation: string, message: Uint8Array, until: number): Promise<Written> {
    return new Promise((resolve, reject) => {
      if (this.isEnded) return reject(new Unavailable('the call has ended'));
      this.pending.set(correlation, { resolve, reject, sentAt: performance.now(), until });
      if (until < this.expiresAt) this.expireAt(until);
      this.unsent.push(message);
      this.unsentBytes += message.length;
      if (this.unsent.length === 1) process.nextTick(() => this.flush());
    });
  }

  /** Ends the call as soon as every append has a response or is forgotten. Another call may replace it immediately. */
  retire(): void {
    this.isRetired = true;
    this.endIfDone();
    this.onChange();
  }

  /** Ends the call at once. Appends in flight fail: their outcome is unknown. */
  cancel(): void {
    this.handleEnd(new Unavailable('the call was cancelled'));
    this.call?.cancel();
  }

  private flush(): void {
    const { unsent } = this;
    this.unsent = [];
    this.unsentBytes = 0;
    this.call!.write(unsent);
  }

  private handleAnswer(message: Buffer): void {
    const answer = decodeAnswer(message);
    this.answeredAt = performance.now();
    const pending = this.pending.get(answer.correlation);
    if (!pending) return; // forgotten
    this.pending.delete(answer.correlation);
    if ('error' in answer) pending.reject(answer.error);
    else pending.resolve(answer);
    this.endIfDone();
  }

  /** Sets the timer shared by all appends: a timer per append would cost as much as the messages themselves. */
  private expireAt(time: number): void {
    if (this.expiry) clearTimeout(this.expiry);
    this.expiresAt = time;
    this.expiry = setTimeout(() => this.forgetExpired(), Math.max(1, Math.ceil(time - performance.now())));
  }

  /** Forgets appends that got no response in time, and sets the timer for the next deadline. */
  private forgetExpired(): void {
    this.expiry = null;
    this.expiresAt = Infinity;
    const now = performance.now();
    let silentMs = 0;
    let next = Infinity;
    const expired: Pending[] = [];
    for (const [correlation, pending] of this.pending) {
      if (pending.until > now) {
        next = Math.min(next, pending.until);
        continue;
      }
      this.pending.delete(correlation);
      expired.push(pending);
      if (this.answeredAt < pending.sentAt) silentMs = Math.max(silentMs, now - pending.sentAt);
    }
    if (next < Infinity) this.expireAt(next);
    if (silentMs > 0 && !this.isRetired) {
      // The next call is opened at once, so the client must be notified of a failure first.
      if (silentMs >= this.timeoutMs * SILENT_PART) this.call!.reportSilence();
      this.retire();
    }
    for (const { reject, sentAt, until } of expired) reject(new CallTimeout('append', Math.round(until - sentAt)));
    this.endIfDone();
  }

  /** Ends a retired call gracefully, so that the server carries out all appends that it has received. */
  private endIfDone(): void {
    if (!this.isRetired || this.pending.size > 0 || this.isEnded) return;
    this.handleEnd(new Unavailable('the call has ended'));
    this.call!.end();
  }

  private handleEnd(error: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.expiry) clearTimeout(this.expiry);
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    this.onChange();
  }
}
