import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Metadata, status } from '@grpc/grpc-js';

/** Size of the header of each message: a flag (1 if the message is compressed), followed by the length. */
const PREFIX_BYTES = 5;

/** Maximum size of a received message; the client has the same limit. */
const MAX_MESSAGE_BYTES = 17 * 1_048_576;

/** Joins messages in gRPC's wire format, so that one write sends all of them. */
export const joinMessages = (messages: readonly Uint8Array[]): Buffer => {
  let size = 0;
  for (const { length } of messages) size += PREFIX_BYTES + length;
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  for (const message of messages) {
    joined[at] = 0;
    joined.writeUInt32BE(message.length, at + 1);
    joined.set(message, at + PREFIX_BYTES);
    at += PREFIX_BYTES + message.length;
  }
  return joined;
};

/** Splits received bytes into gRPC messages. */
export class MessageSplitter {
  private rest: Buffer | null = null;

  /** Returns the messages that the next bytes complete. @throws Error for a message that is compressed or too long */
  split(chunk: Buffer): Buffer[] {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    const messages: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      if (bytes[at] !== 0) throw new Error('the server compressed a message without being asked to');
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) throw new Error(`the server sent a message of ${length} bytes`);
      const end = at + PREFIX_BYTES + length;
      if (end > bytes.length) break;
      messages.push(bytes.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    this.rest = at < bytes.length ? bytes.subarray(at) : null;
    return messages;
  }
}

/** Maximum wait for the server to close an ended call, in ms. EventStoreDB never closes a call without open appends. */
const CLOSE_MS = 5_000;

/** Callbacks for a call's messages and its end. */
export interface CallListener {
  /** Handles a message. If it throws, the call ends. */
  readonly onMessage: (message: Buffer) => void;
  /** Called when all buffered messages have been sent. */
  readonly onDrain: () => void;
  /** Called when the server no longer accepts new calls on this connection. Messages may still be sent and answered. */
  readonly onGoAway: () => void;
  /** Called once, after the last message. @param error null if the server ended the call without an error */
  readonly onEnd: (error: Error | null) => void;
}

/** Creates an error in gRPC-js format, which the client's functions understand. */
export const createGrpcError = (code: status, details: string, metadata = new Metadata()): Error =>
  Object.assign(new Error(`${code} ${status[code]}: ${details}`), { code, details, metadata });

/** gRPC status code of a successful call. */
const SUCCESS = 0;

/** gRPC codes that gRPC-js assigns to HTTP statuses when the response does not come from a gRPC server. */
const CODES_OF_HTTP: Readonly<Record<number, status>> = {
  400: status.INTERNAL,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.UNIMPLEMENTED,
  429: status.UNAVAILABLE,
  502: status.UNAVAILABLE,
  503: status.UNAVAILABLE,
  504: status.UNAVAILABLE,
};

/**
 * A gRPC call with messages in both directions, over its own HTTP/2 connection, which closes with the call. Messages
 * that are written together are sent together; gRPC-js would send each separately, after the previous one (ADR-190).
 */
export class GrpcCall {
  private readonly stream: ClientHttp2Stream;
  private readonly splitter = new MessageSplitter();
  private headers: IncomingHttpHeaders = {};
  private trailers: IncomingHttpHeaders | null = null;
  private failure: Error | null = null;
  private hasCancelled = false;

  /**
   * @param headers request headers, including the path and the credentials
   * @param onFailure called when the server fails: it ends the call with an error, or stops responding
   * @throws Error if the connection has ended
   */
  constructor(
    private readonly session: ClientHttp2Session,
    headers: OutgoingHttpHeaders,
    private readonly listener: CallListener,
    private readonly onFailure: (error: Error) => void,
  ) {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
      ...headers,
    });
    this.stream = stream;
    const noteFailure = (error: Error): void => void (this.failure ??= error);
    session.on('error', noteFailure);
    session.on('goaway', () => listener.onGoAway());
    stream.on('response', (received, flags) => {
      this.headers = received;
      if (flags & constants.NGHTTP2_FLAG_END_STREAM) this.trailers = received;
    });
    stream.on('trailers', (received: IncomingHttpHeaders) => (this.trailers = received));
    stream.on('data', (chunk: Buffer) => this.receive(chunk));
    stream.on('drain', () => listener.onDrain());
    stream.on('error', noteFailure);
    stream.on('end', () => setImmediate(() => stream.close())); // the trailers may still follow
    stream.on('close', () => this.finish());
  }

  /** Number of bytes that have not been handed to the connection yet. */
  get unsentBytes(): number {
    return this.stream.writableLength;
  }

  /** Sends messages. Once the call has ended, they are dropped. */
  write(messages: readonly Uint8Array[]): void {
    if (this.stream.writable) this.stream.write(joinMessages(messages));
  }

  /** Sends the only request message of a call that gets many responses. */
  writeLast(message: Uint8Array): void {
    if (this.stream.writable) this.stream.end(joinMessages([message]));
  }

  /** Stops receiving until {@link resume}: the server waits once the connection's buffers are full. */
  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  /** Ends the call gracefully: the server still responds to the messages that it has received. */
  end(): void {
    this.stream.end();
    const expiry = setTimeout(() => this.cancel(), CLOSE_MS).unref();
    this.stream.on('close', () => clearTimeout(expiry));
  }

  /** Ends the call and its connection at once. */
  cancel(): void {
    this.hasCancelled = true;
    this.session.destroy();
  }

  /** Reports that the server is not responding, without waiting for the keep-alive. The call continues. */
  reportSilence(): void {
    this.onFailure(createGrpcError(status.UNAVAILABLE, 'the server does not answer'));
  }

  private receive(chunk: Buffer): void {
    if (this.failure) return;
    try {
      for (const message of this.splitter.split(chunk)) this.listener.onMessage(message);
    } catch (error) {
      this.failure = error as Error;
      this.session.destroy();
    }
  }

  private finish(): void {
    this.session.destroy();
    const error = this.findError();
    if (error && !this.hasCancelled) this.onFailure(error); // cancelling a call is not a server failure
    this.listener.onEnd(error);
  }

  private findError(): Error | null {
    const code = this.trailers?.['grpc-status'];
    if (code !== undefined) return Number(code) === SUCCESS ? null : toStatusError(Number(code), this.trailers!);
    const answered = Number(this.headers[':status'] ?? 200);
    if (answered !== 200)
      return createGrpcError(CODES_OF_HTTP[answered] ?? status.UNKNOWN, `the server answered ${answered}`);
    const reason = this.failure?.message ?? `the connection was lost (code ${this.stream.rstCode})`;
    return createGrpcError(status.UNAVAILABLE, reason);
  }
}

const toStatusError = (code: status, trailers: IncomingHttpHeaders): Error =>
  createGrpcError(code, decodeMessage(String(trailers['grpc-message'] ?? '')), Metadata.fromHttp2Headers(trailers));

const decodeMessage = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
