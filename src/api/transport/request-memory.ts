import { Injectable, Optional } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../../payload/payload.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { type MemoryBounds, MemoryBudget } from '../../runtime/memory-budget.js';
import { countLargeAnswer } from './heavy-reads.js';
import { SERVICE_MESSAGES } from './messages.js';
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
export const workBytesOf = (bytes: number): number => WORK_FACTOR * bytes;

const CODE = 'too_many_large_requests';

/** Returns the 503 for a large request that got no memory in time. */
export const outOfMemoryProblem = (): HttpProblem =>
  HttpProblem.withRetryAfter(5, 503, CODE, SERVICE_MESSAGES.tooManyLarge);

/** Returns the 503 for a large response when the client has too many unread responses. */
export const unreadAnswersProblem = (): HttpProblem =>
  HttpProblem.withRetryAfter(5, 503, 'too_many_large_answers', SERVICE_MESSAGES.unreadAnswers);

/** True for {@link outOfMemoryProblem}. */
export const isOutOfMemory = ({ code }: HttpProblem): boolean => code === CODE;

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
export const busyProblem = (): HttpProblem =>
  HttpProblem.withRetryAfter(1, 503, BUSY_CODE, SERVICE_MESSAGES.overloaded);

/** True for {@link busyProblem}. */
export const isBusy = ({ code }: HttpProblem): boolean => code === BUSY_CODE;
