import type { IncomingMessage } from 'node:http';
import { Injectable, Optional } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LIMITS } from '../../payload/payload.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { EventLoopBatch } from '../../runtime/event-loop-batch.js';
import { type MemoryBounds, MemoryBudget, type MemoryReservation } from '../../runtime/memory-budget.js';
import { countLargeAnswer } from './answers.js';
import { HTTP_MESSAGES, SERVICE_MESSAGES } from './messages.js';
import { buildProblemView, HttpProblem } from './problem.view.js';

/** Size, in bytes, above which a body reserves memory and is parsed in slices. */
const LARGE_BODY_BYTES = 65_536;
/**
 * Memory needed to process a body, as a multiple of its size: it exists as text, as the parsed value, serialised again,
 * encoded in parts, and sent to the event store (ADR-135).
 */
const WORK_FACTOR = 6;
/** Half the time limit for receiving a request, in ms. */
const WAIT_MS = 15_000;

/** Returns bounds that allow this many maximum-size bodies. A single holder may use up to half. */
const boundsFor = (bodies: number): MemoryBounds => {
  const bytes = bodies * LIMITS.payloadBytes;
  return { bytes, bytesPerHolder: bytes / 2, waiting: 1_000, waitMs: WAIT_MS };
};

const BOUNDS = {
  bodies: boundsFor(24),
  work: boundsFor(6 * WORK_FACTOR),
  // Both count bytes that are already in memory, so nothing waits for them.
  toolCalls: boundsFor(6),
  answers: boundsFor(12),
};

/**
 * Limits the memory that a process uses for large bodies of authenticated requests, regardless of the number of clients
 * (ADR-135). A body is read once there is memory for its bytes, and processed once there is memory for processing it;
 * each time, the request waits for at most 15 s. Reading and processing have separate budgets, so reading never waits
 * for processing. Bodies of up to 64 KB are not counted and never wait.
 *
 * The arguments of a tool call have their own budget, because the tool's own request waits for the first two budgets. A
 * large response is counted until its client has read it.
 */
export class RequestMemory {
  readonly bodies: MemoryBudget;
  readonly work: MemoryBudget;
  readonly toolCalls: MemoryBudget;
  readonly answers: MemoryBudget;

  constructor(bounds: Partial<typeof BOUNDS> = {}) {
    const { bodies, work, toolCalls, answers } = { ...BOUNDS, ...bounds };
    this.bodies = new MemoryBudget(bodies);
    this.work = new MemoryBudget(work);
    this.toolCalls = new MemoryBudget(toolCalls);
    this.answers = new MemoryBudget(answers);
  }
}

/** True if memory has to be reserved for a body or response of this size. */
export const isLarge = (bytes: number): boolean => bytes > LARGE_BODY_BYTES;

/** Returns how many bytes of memory it takes to process a body of this size. */
const workBytesOf = (bytes: number): number => WORK_FACTOR * bytes;

const CODE = 'too_many_large_requests';

/** Returns the 503 for a large request that got no memory in time. */
export const outOfMemoryProblem = (): HttpProblem =>
  HttpProblem.withRetryAfter(5, 503, CODE, SERVICE_MESSAGES.tooManyLarge);

/** Returns the 503 for a large response when the client has too many unread responses. */
export const unreadAnswersProblem = (): HttpProblem =>
  HttpProblem.withRetryAfter(5, 503, 'too_many_large_answers', SERVICE_MESSAGES.unreadAnswers);

/** True for {@link outOfMemoryProblem}. */
const isOutOfMemory = ({ code }: HttpProblem): boolean => code === CODE;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The holder whose share of the memory the response counts against; null for an unauthenticated request, or an
     * operator's request without a body.
     */
    answerHolder: string | null;
  }
}

/**
 * Starts large responses one after another, with other work in between, and counts them against a budget until their
 * clients have read them. A GET that would exceed the budget gets a 503. Other requests always get their response,
 * because they may have changed something. A response without a holder counts against the client's address.
 */
export const boundAnswers = (fastify: FastifyInstance, answers: MemoryBudget): void => {
  fastify.decorateRequest('answerHolder', null);
  fastify.addHook('onSend', async (request, reply, payload) => {
    // Writing a response occupies the thread; writing many at once would block it.
    const isOneWrite = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isOneWrite && isLarge(payload.length)) await yieldToEventLoop();
    // Files are buffers shared by all requests, and streams limit themselves.
    if (typeof payload !== 'string' || !isLarge(payload.length)) return payload;
    // The client has disconnected: neither of the events below would release the reservation.
    if (reply.raw.destroyed) return payload;
    const holder = request.answerHolder ?? request.clientAddress;
    const reservation = answers.reserveHeld(holder, payload.length);
    if (reservation) {
      countLargeAnswer(holder, payload.length);
      for (const end of ['finish', 'close']) reply.raw.once(end, () => reservation.release());
      return payload;
    }
    if (request.method !== 'GET') return payload;
    const problem = unreadAnswersProblem();
    void reply.code(problem.status).type('application/json; charset=utf-8').headers(problem.headers);
    void reply.removeHeader('content-length');
    return JSON.stringify(buildProblemView(problem, request.id));
  });
};

/** Maximum number of body bytes that a process holds for requests that are not authenticated yet (ADR-88). */
const MAX_HELD_BYTES = 33_554_432;
/** Maximum number of unauthenticated requests whose bodies a process reads at the same time (ADR-88). */
const MAX_READING = 1_000;

/**
 * Counts and limits the bytes that a process holds, and the bodies that it reads, for requests that are not
 * authenticated yet (ADR-88).
 */
@Injectable()
export class UnauthenticatedBodies {
  private held = 0;
  private beingRead = 0;

  constructor(
    @Optional() private readonly maxHeldBytes = MAX_HELD_BYTES,
    @Optional() private readonly maxReading = MAX_READING,
  ) {}

  get heldBytes(): number {
    return this.held;
  }

  get reading(): number {
    return this.beingRead;
  }

  /** True while no more bytes may be held. */
  get isFull(): boolean {
    return this.held > this.maxHeldBytes;
  }

  /** Holds more bytes, or releases some if the number is negative. */
  addHeldBytes(bytes: number): void {
    this.held += bytes;
  }

  /** Reserves a slot for reading a body; returns false if none is free. */
  startReading(): boolean {
    if (this.beingRead >= this.maxReading) return false;
    this.beingRead += 1;
    return true;
  }

  /** Releases a body's slot. */
  stopReading(): void {
    this.beingRead -= 1;
  }
}

const BUSY_CODE = 'too_many_unauthenticated';

/** Returns the 503 for an unauthenticated request when the process handles too many such requests. */
const busyProblem = (): HttpProblem => HttpProblem.withRetryAfter(1, 503, BUSY_CODE, SERVICE_MESSAGES.overloaded);

/** True for {@link busyProblem}. */
export const isBusy = ({ code }: HttpProblem): boolean => code === BUSY_CODE;

/** A request body, or the reason why it could not be read completely. */
export type ReceivedBody =
  { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: HttpProblem };

/** Receives notifications while a body arrives. */
export interface BodyWatcher {
  onBodyChunk(): void;
  /** Called once the body has arrived completely, or cannot arrive completely any more. */
  onBodyEnd(): void;
}

/** An oversized body of up to this many bytes is read completely and discarded. */
const MAX_READ_BYTES = LIMITS.payloadBytes * 4;

/** Requests with a complete body. They continue together at the end of the event loop turn. */
const completedBodies = new EventLoopBatch<() => void>((resume) => resume());

/**
 * Reads the whole body of a request. A body over the limit is `body_too_large` (400): the rest is read and discarded,
 * up to four times the limit, so that the client can read the response. A body that ended early is `body_incomplete`.
 *
 * The bytes of a not yet authenticated request count against a process-wide limit (ADR-88) until `keep` or `drop` is
 * called. From then on, a large body is read and passed to its handler only when memory is available (ADR-135).
 */
export class BodyReader {
  /** The body, for the request's checks. Never rejects. Handlers call {@link BodyReader.receive} instead. */
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
  /** True while the request occupies one of the slots for reading unauthenticated bodies. */
  private hasPlace = false;
  private passTo: ((chunk: Buffer) => void) | null = null;
  /** Null until the request is authenticated. */
  private holder: string | null = null;
  private bodyMemory: MemoryReservation | null = null;
  private workMemory: MemoryReservation | null = null;
  /** Body size announced in the request head, in bytes; null if the body is chunked. */
  private readonly announced: number | null;

  /**
   * @param unauthenticated null if `keep` is called before any of the body arrives
   * @param watcher notified synchronously
   */
  constructor(
    private readonly request: FastifyRequest,
    private readonly memory: RequestMemory,
    private unauthenticated: UnauthenticatedBodies | null,
    private readonly watcher: BodyWatcher | null = null,
  ) {
    this.stream = request.raw;
    this.announced = readAnnouncedBytes(this.stream);
    this.received = new Promise((resolve) => (this.resolve = resolve));
    request.bodyReader = this;
    if (this.stream.readableEnded) this.settle(null);
    else if (this.stream.destroyed) this.settle(incompleteBody());
    else this.listen();
  }

  /** True if no more of the body will arrive. */
  get hasArrived(): boolean {
    return this.isOver || this.stream.complete;
  }

  /** True if the bytes that have arrived exceed the limit. */
  get isOversized(): boolean {
    return this.size > LIMITS.payloadBytes;
  }

  /**
   * Keeps reading a body although its request is not authenticated yet.
   * @throws HttpProblem 503 if the process has reached its limit of unauthenticated bytes or bodies
   */
  wait(): void {
    const { unauthenticated } = this;
    if (!unauthenticated || this.isWaiting) return;
    const isRefused = unauthenticated.isFull || (!this.hasArrived && !unauthenticated.startReading());
    if (isRefused) throw this.refuse(busyProblem());
    this.hasPlace = !this.hasArrived;
    this.isWaiting = true;
  }

  /** Keeps an authenticated request's body. Resumes reading a large body once its holder has memory left. */
  keep(holder: string): void {
    this.leave();
    this.unauthenticated = null;
    if (this.isOversized) this.chunks = [];
    if (this.holder !== null) return;
    this.holder = holder;
    this.request.answerHolder = holder;
    this.reserveBody(holder);
  }

  /**
   * Waits for the body of an authenticated request and for the memory to process it.
   * @throws HttpProblem 503 if no memory became available in time
   */
  receive(): Promise<ReceivedBody> {
    return this.mayBeLarge ? this.receiveLarge() : this.received;
  }

  /** Drops the bytes that have arrived and all later chunks, because the request will be rejected. */
  drop(): void {
    this.isDropped = true;
    this.releaseChunks();
  }

  /** Passes all chunks to a function: first the chunks that have arrived, then each later chunk as it arrives. */
  passChunks(passTo: (chunk: Buffer) => void): void {
    for (const chunk of this.chunks) passTo(chunk);
    this.passTo = passTo;
    if (this.isOversized) this.releaseChunks();
  }

  /** Stops reading a body that will not arrive completely. Returns false if reading has already finished. */
  abort(problem: HttpProblem): boolean {
    if (this.isOver) return false;
    this.settle(problem);
    return true;
  }

  /** Releases everything once the request is answered. Bytes that still arrive are discarded. */
  finish(): void {
    this.leave();
    this.passTo = null;
    this.drop();
    this.bodyMemory?.release();
    this.workMemory?.release();
  }

  private listen(): void {
    this.stream.on('data', (chunk: Buffer) => this.add(chunk));
    this.stream.on('end', () => this.isOver || this.settle(this.isOversized ? oversizedBody() : null));
    // Every stream emits `close`, even a failed stream. The body has nearly always been read by then, so the problem is
    // created only when needed.
    this.stream.on('close', () => this.isOver || this.abort(incompleteBody()));
  }

  private add(chunk: Buffer): void {
    if (this.isOver) return;
    this.watcher?.onBodyChunk();
    this.size += chunk.length;
    this.request.receivedBytes = this.size;
    this.passTo?.(chunk);
    // An oversized body is held until it is known whether its signature has to be computed.
    const isHeld = !this.isDropped && (!this.isOversized || (this.unauthenticated !== null && this.passTo === null));
    if (isHeld) this.hold(chunk);
    else this.releaseChunks();
    if (this.isWaiting && this.unauthenticated!.isFull) this.refuse(busyProblem());
    else if (this.size > MAX_READ_BYTES) {
      this.stream.pause();
      this.settle(oversizedBody());
    } else if (this.holder !== null) this.reserveBody(this.holder);
  }

  private get mayBeLarge(): boolean {
    return isLarge(this.isOver ? this.size : (this.announced ?? LIMITS.payloadBytes));
  }

  /** Reserves memory for a large body. Reading pauses until the memory is granted. */
  private reserveBody(holder: string): void {
    if (this.bodyMemory !== null || this.isOversized || !isLarge(this.announced ?? this.size)) return;
    const { bodies } = this.memory;
    // The body has arrived and its signature was checked, so it is in memory whether or not there is room for it.
    if (this.isOver) return void (this.bodyMemory = bodies.reserveHeld(holder, this.size));
    const bytes = Math.min(this.announced ?? LIMITS.payloadBytes, LIMITS.payloadBytes);
    const reservation = (this.bodyMemory = bodies.reserve(holder, bytes));
    if (reservation.isGranted) return;
    this.stream.pause();
    void reservation.granted.then((isGranted) => {
      if (this.isOver) return;
      if (isGranted) this.stream.resume();
      else this.refuse(outOfMemoryProblem());
    });
  }

  private async receiveLarge(): Promise<ReceivedBody> {
    const received = await this.received;
    if (!received.ok) {
      if (isOutOfMemory(received.problem)) throw received.problem;
      return received;
    }
    const { length } = received.bytes;
    if (!isLarge(length)) return received;
    if (!this.bodyMemory) throw outOfMemoryProblem();
    this.workMemory ??= this.memory.work.reserve(this.holder!, workBytesOf(length));
    if (!(await this.workMemory.granted)) throw outOfMemoryProblem();
    return received;
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

  /** Stops reading. A paused body makes the response the last on its connection (http-server.ts). */
  private refuse(problem: HttpProblem): HttpProblem {
    this.drop();
    this.stream.pause();
    if (!this.isOver) this.settle(problem);
    return problem;
  }

  /** @param problem null if the body has arrived completely */
  private settle(problem: HttpProblem | null): void {
    this.isOver = true;
    if (problem && !this.isOversized) this.releaseChunks(); // no signature can be checked
    // Called before the chunks are joined: a 401 is due a fixed time after this call, and joining 5 MB takes a
    // millisecond (D-7).
    this.watcher?.onBodyEnd();
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

const readAnnouncedBytes = ({ headers }: IncomingMessage): number | null =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;

/** Returns the problem for a body that ended early. */
export const incompleteBody = (): HttpProblem =>
  HttpProblem.withMessage(400, 'body_incomplete', HTTP_MESSAGES.bodyIncomplete);

const oversizedBody = (): HttpProblem =>
  HttpProblem.withMessage(400, 'body_too_large', HTTP_MESSAGES.bodyTooLarge({ limit: LIMITS.payloadBytes }));
