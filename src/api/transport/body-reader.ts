import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../../payload/payload.js';
import { EventLoopBatch } from '../../runtime/event-loop-batch.js';
import { HTTP_MESSAGES } from './messages.js';
import { HttpProblem } from './http-problem.js';
import { busyProblem, type UnauthenticatedBodies } from './unauthenticated-bodies.js';

/** A body as it was sent, or the reason for which it could not be read as a whole. */
export type ReceivedBody =
  { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: HttpProblem };

/** Is notified while a body arrives. */
export interface BodyWatcher {
  /** A chunk arrived. */
  onBodyChunk(): void;
  /** The body has arrived as a whole, or will not. */
  onBodyEnd(): void;
}

const NO_WATCHER: BodyWatcher = { onBodyChunk: () => undefined, onBodyEnd: () => undefined };

/** Size of a body up to which the rest of an oversized one is read and discarded, in bytes. */
const MAX_READ_BYTES = LIMITS.payloadBytes * 4;

/** Requests whose bodies were read; they continue together at the end of the event loop's turn. */
const completedBodies = new EventLoopBatch<() => void>((resume) => resume());

/**
 * Reads a request's body to its end. A body beyond the limit is `body_too_large` (400): the rest is read and discarded, up to
 * four times the limit, so that the client can read the answer. A body that ended early is `body_incomplete`.
 *
 * The bytes of a request that is not authenticated yet count against a limit of the whole process (ADR-88), until `keep` or
 * `drop` says what becomes of them.
 */
export class BodyReader {
  /** The body. Never rejects. */
  readonly received: Promise<ReceivedBody>;
  private resolve!: (received: ReceivedBody) => void;
  private readonly stream: IncomingMessage;
  private chunks: Buffer[] = [];
  private size = 0;
  private isOver = false;
  private isDropped = false;
  /** Bytes of `chunks` that count as unauthenticated. */
  private countedBytes = 0;
  /** True from `wait` until the request is authenticated or answered. */
  private isWaiting = false;
  /** True while the request has a place among those being read. */
  private hasPlace = false;
  private passTo: ((chunk: Buffer) => void) | null = null;

  /**
   * @param unauthenticated null: the request is authenticated
   * @param watcher notified synchronously
   */
  constructor(
    private readonly request: FastifyRequest,
    private unauthenticated: UnauthenticatedBodies | null,
    private readonly watcher: BodyWatcher = NO_WATCHER,
  ) {
    this.stream = request.raw;
    this.received = new Promise((resolve) => (this.resolve = resolve));
    request.bodyReader = this;
    if (this.stream.readableEnded) this.settle(null);
    else if (this.stream.destroyed)
      this.settle(incompleteBody()); // the client has disconnected
    else this.listen(this.stream);
  }

  /** True if nothing more of the body will arrive. */
  get hasArrived(): boolean {
    return this.isOver || this.stream.complete;
  }

  /** True if the body is larger than the limit, as far as it has arrived. */
  get isOversized(): boolean {
    return this.size > LIMITS.payloadBytes;
  }

  /**
   * Continues to read a body although its request is not authenticated yet.
   * @throws HttpProblem 503 if the process reads or holds as much of such requests as it can
   */
  wait(): void {
    const { unauthenticated } = this;
    if (!unauthenticated || this.isWaiting) return;
    const isRefused = unauthenticated.isFull || (!this.hasArrived && !unauthenticated.startReading());
    if (isRefused) throw this.refuse();
    this.hasPlace = !this.hasArrived;
    this.isWaiting = true;
  }

  /** Keeps the body: its request is authenticated. */
  keep(): void {
    this.leave();
    this.unauthenticated = null;
    if (this.isOversized) this.chunks = [];
  }

  /** Drops the bytes that have arrived, and each chunk that still arrives: its request will be rejected. */
  drop(): void {
    this.isDropped = true;
    this.releaseChunks();
  }

  /** Passes on all chunks: those that have arrived, and each of the rest when it arrives. */
  passChunks(passTo: (chunk: Buffer) => void): void {
    for (const chunk of this.chunks) passTo(chunk);
    this.passTo = passTo;
    if (this.isOversized) this.releaseChunks();
  }

  /** Ends the reading of a body that will not arrive as a whole. Returns false if the reading has already ended. */
  abort(problem: HttpProblem): boolean {
    if (this.isOver) return false;
    this.settle(problem);
    return true;
  }

  /** Releases everything: the request is answered. What still arrives is discarded. */
  finish(): void {
    this.leave();
    this.passTo = null;
    this.drop();
  }

  private listen(stream: IncomingMessage): void {
    stream.on('data', (chunk: Buffer) => this.add(chunk));
    stream.on('end', () => this.isOver || this.settle(this.size > LIMITS.payloadBytes ? oversizedBody() : null));
    // Every stream emits `close`, a failed one as well, and nearly all of them after the body was read. The problem is created
    // only if it is needed.
    stream.on('close', () => this.isOver || this.abort(incompleteBody()));
  }

  private add(chunk: Buffer): void {
    if (this.isOver) return;
    this.watcher.onBodyChunk();
    this.size += chunk.length;
    this.request.receivedBytes = this.size;
    this.passTo?.(chunk);
    // An oversized body is held until it is known whether its signature has to be computed.
    const isHeld = !this.isDropped && (!this.isOversized || (this.unauthenticated !== null && this.passTo === null));
    if (isHeld) this.hold(chunk);
    else this.releaseChunks();
    if (this.isWaiting && this.unauthenticated!.isFull) this.refuse();
    else if (this.size > MAX_READ_BYTES) {
      this.stream.pause();
      this.settle(oversizedBody());
    }
  }

  private hold(chunk: Buffer): void {
    this.chunks.push(chunk);
    if (!this.unauthenticated) return;
    this.countedBytes += chunk.length;
    this.unauthenticated.addHeldBytes(chunk.length);
  }

  private releaseChunks(): void {
    if (this.chunks.length > 0) this.chunks = [];
    this.unauthenticated?.addHeldBytes(-this.countedBytes);
    this.countedBytes = 0;
  }

  /** Ends the reading. A paused body makes the answer the last of its connection (http-server.ts). */
  private refuse(): HttpProblem {
    const problem = busyProblem();
    this.drop();
    this.stream.pause();
    if (!this.isOver) this.settle(problem);
    return problem;
  }

  /** @param problem null: the body has arrived as a whole */
  private settle(problem: HttpProblem | null): void {
    this.isOver = true;
    if (problem && !this.isOversized) this.releaseChunks(); // no signature can be checked
    // Before the chunks are joined: a 401 is due a fixed time after this call, and joining 5 MB takes a millisecond (D-7).
    this.watcher.onBodyEnd();
    this.releasePlace();
    completedBodies.add(() => this.resolve(problem ? { ok: false, problem } : this.joinChunks()));
  }

  private joinChunks(): ReceivedBody {
    if (this.isDropped) return { ok: false, problem: HttpProblem.withMessage(401, 'unauthorized', 'Unauthorized.') };
    const bytes = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.chunks = this.unauthenticated ? [bytes] : [];
    return { ok: true, bytes };
  }

  /** Ends the wait for authentication. */
  private leave(): void {
    this.isWaiting = false;
    this.releasePlace();
    this.unauthenticated?.addHeldBytes(-this.countedBytes);
    this.countedBytes = 0;
  }

  private releasePlace(): void {
    if (this.hasPlace) this.unauthenticated!.stopReading();
    this.hasPlace = false;
  }
}

/** Returns the problem of a body whose end is missing. */
export const incompleteBody = (): HttpProblem =>
  HttpProblem.withMessage(400, 'body_incomplete', HTTP_MESSAGES.bodyIncomplete);

const oversizedBody = (): HttpProblem =>
  HttpProblem.withMessage(400, 'body_too_large', HTTP_MESSAGES.bodyTooLarge({ limit: LIMITS.payloadBytes }));
