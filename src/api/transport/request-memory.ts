import { LIMITS } from '../../payload/payload.js';
import { type MemoryBounds, MemoryBudget } from '../../runtime/memory-budget.js';
import { HttpProblem } from './http-problem.js';
import { SERVICE_MESSAGES } from './messages.js';

/** Size, in bytes, above which a body reserves memory and is parsed in slices. */
const LARGE_BODY_BYTES = 65_536;
/**
 * Bytes of memory that processing a body takes for each of its bytes: as text, as the parsed value, serialised again,
 * encoded in parts, and sent to the event store (ADR-135).
 */
const WORK_FACTOR = 6;
const WAITING = 1_000;
/** Half of the time limit for a request to arrive, in ms. */
const WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = '5';

/** Memory bounds for the bodies of requests, the work on them, the arguments of tool calls, and answers. */
export interface RequestMemoryBounds {
  readonly bodies: MemoryBounds;
  readonly work: MemoryBounds;
  readonly toolCalls?: MemoryBounds;
  readonly answers?: MemoryBounds;
}

const wait = { waiting: WAITING, waitMs: WAIT_MS };
/**
 * Enough for 24 bodies, the work on six of them, the arguments of six tool calls, and twelve answers, each of maximum
 * size. One owner may use half.
 */
const BOUNDS: Required<RequestMemoryBounds> = {
  bodies: { ...wait, bytes: 24 * LIMITS.payloadBytes, bytesPerHolder: 12 * LIMITS.payloadBytes },
  work: {
    ...wait,
    bytes: 6 * WORK_FACTOR * LIMITS.payloadBytes,
    bytesPerHolder: 3 * WORK_FACTOR * LIMITS.payloadBytes,
  },
  // Both count bytes that are already in memory, so nothing waits for them.
  toolCalls: { ...wait, bytes: 6 * LIMITS.payloadBytes, bytesPerHolder: 3 * LIMITS.payloadBytes },
  answers: { ...wait, bytes: 12 * LIMITS.payloadBytes, bytesPerHolder: 6 * LIMITS.payloadBytes },
};

/**
 * The memory of a process for large bodies of authenticated requests, whatever the number of clients (ADR-135). A body
 * is read once there is memory for its bytes, and processed once there is memory for the processing; otherwise its
 * request waits for at most 15 s each time. Reading and processing have separate budgets, so that a body that is being
 * read never waits for one that is being processed. Bodies of up to 64 KB are not counted and never wait.
 *
 * The arguments of a tool call have their own budget, because the request that the tool sends waits for the first two
 * budgets. A large answer is counted until its client has read it.
 */
export class RequestMemory {
  readonly bodies: MemoryBudget;
  readonly work: MemoryBudget;
  readonly toolCalls: MemoryBudget;
  readonly answers: MemoryBudget;

  constructor(bounds: RequestMemoryBounds = BOUNDS) {
    const { bodies, work, toolCalls, answers } = { ...BOUNDS, ...bounds };
    this.bodies = new MemoryBudget(bodies);
    this.work = new MemoryBudget(work);
    this.toolCalls = new MemoryBudget(toolCalls);
    this.answers = new MemoryBudget(answers);
  }
}

/** True if memory has to be reserved for a body or an answer of this size. */
export const isLarge = (bytes: number): boolean => bytes > LARGE_BODY_BYTES;

/** Returns the memory, in bytes, that processing a body of this size takes. */
export const workBytesOf = (bytes: number): number => WORK_FACTOR * bytes;

const CODE = 'too_many_large_requests';

/** Returns the 503 for a large request that got no memory in time. */
export const outOfMemoryProblem = (): HttpProblem =>
  HttpProblem.withMessage(503, CODE, SERVICE_MESSAGES.tooManyLarge, { 'retry-after': RETRY_AFTER_SECONDS });

/** Returns the 503 for a large answer when the client has too many unread answers. */
export const unreadAnswersProblem = (): HttpProblem =>
  HttpProblem.withMessage(503, 'too_many_large_answers', SERVICE_MESSAGES.unreadAnswers, {
    'retry-after': RETRY_AFTER_SECONDS,
  });

/** True for {@link outOfMemoryProblem}. */
export const isOutOfMemory = ({ code }: HttpProblem): boolean => code === CODE;
