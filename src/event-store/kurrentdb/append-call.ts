import type { Client as GrpcClient, ClientDuplexStream } from '@grpc/grpc-js';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { convertToCommandError } from '@kurrent/kurrentdb-client/dist/utils/CommandError.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { Unavailable } from '../port.js';
import { type AppendAnswer, decodeAnswer } from './append-message.js';
import { openCall } from './clients.js';

/** Most bytes that wait for the connection. Beyond them, appends wait in the process instead. */
const MAX_UNSENT_BYTES = 1_048_576;

const asIs = (bytes: Uint8Array): Buffer => bytes as Buffer;

/** Outcome of an append that was written. */
export interface Written {
  readonly revision: bigint;
  /** Undefined if retention has removed the events of a repeated append. */
  readonly position: bigint | undefined;
}

interface Pending {
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One call `BatchAppend` for many appends at the same time, over the client's connection. Answers may arrive in any order.
 * An append whose answer is no longer awaited is forgotten, and the others go on. The end of the call fails all of them.
 */
export class AppendCall {
  private readonly pending = new Map<string, Pending>();
  private unsentBytes = 0;
  private isEnded = false;
  private isRetired = false;
  private answeredAt = 0;

  private constructor(
    private readonly call: ClientDuplexStream<Uint8Array, Uint8Array>,
    private readonly onChange: () => void,
  ) {
    call.on('data', (bytes: Uint8Array) => this.handleAnswer(decodeAnswer(bytes)));
    call.on('error', (error: Error) => this.handleEnd(convertToCommandError(error))); // may occur after the end, too
    call.on('end', () => this.handleEnd(new Unavailable('the server ended the call')));
  }

  /**
   * Opens a call. Whether the server answers shows with the first append.
   * @param onChange called when more may be sent, and when the call has ended
   * @throws the client's errors: it finds no node of the cluster
   */
  static async open(client: KurrentDBClient, onChange: () => void): Promise<AppendCall> {
    const { path } = streams.StreamsService.batchAppend;
    const call = await openCall(client, (grpc: GrpcClient, metadata, options) =>
      grpc.makeBidiStreamRequest<Uint8Array, Uint8Array>(path, asIs, asIs, metadata, options),
    );
    return new AppendCall(call, onChange);
  }

  get hasEnded(): boolean {
    return this.isEnded;
  }

  /** True if the connection takes more. */
  get isReady(): boolean {
    return !this.isEnded && this.unsentBytes < MAX_UNSENT_BYTES;
  }

  /** True if the server has answered any append since a time (`performance.now()`). */
  hasAnsweredSince(time: number): boolean {
    return this.answeredAt >= time;
  }

  /** Sends an append. @param correlation unique UUID @throws the client's errors @throws Unavailable */
  send(correlation: string, message: Uint8Array): Promise<Written> {
    return new Promise((resolve, reject) => {
      if (this.isEnded) return reject(new Unavailable('the call has ended'));
      this.pending.set(correlation, { resolve, reject });
      this.unsentBytes += message.length;
      this.call.write(message, () => {
        const wasReady = this.isReady;
        this.unsentBytes -= message.length;
        if (!wasReady && this.isReady) this.onChange();
      });
    });
  }

  /** Forgets an append whose answer is no longer awaited. */
  forget(correlation: string): void {
    this.pending.delete(correlation);
    this.endIfDone();
  }

  /** Ends the call as soon as every append is answered or forgotten. */
  retire(): void {
    this.isRetired = true;
    this.endIfDone();
  }

  /** Ends the call at once. Appends in flight fail: their outcome is unknown. */
  cancel(): void {
    if (this.isEnded) return;
    this.handleEnd(new Unavailable('the call was cancelled'));
    this.call.cancel();
  }

  private handleAnswer(answer: AppendAnswer): void {
    this.answeredAt = performance.now();
    const pending = this.pending.get(answer.correlation);
    if (!pending) return; // forgotten
    this.pending.delete(answer.correlation);
    if ('error' in answer) pending.reject(answer.error);
    else pending.resolve(answer);
    this.endIfDone();
  }

  /** Ends a retired call in order. To cancel it would make the client replace the connection, which other calls use. */
  private endIfDone(): void {
    if (!this.isRetired || this.pending.size > 0 || this.isEnded) return;
    this.handleEnd(new Unavailable('the call has ended'));
    this.call.end();
  }

  private handleEnd(error: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    this.onChange();
  }
}
