import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Author } from '../../../commands/command.js';
import type { JsonObject } from '../../../kernel/ids.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import {
  BodyReader,
  type BodyWatcher,
  isBusy,
  type ReceivedBody,
  type UnauthenticatedBodies,
} from '../../transport/body-reader.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { type SigningSecrets, StreamingSignature } from './authentication.js';

/** Delay after the body was read, in ms: longer than any check, including signing 5 MB (3 ms). */
const AFTER_BODY_MS = 10;
/** How long to wait for the next chunk of the body after the head or the last chunk, in ms (D-7). */
const BODY_TIMEOUT_MS = 1_000;
/** Requests within this time, in ms, share one timer, so responses may be early by up to this time. */
const SHARED_MS = 0.5;

/**
 * A deadline for several requests. They continue in the order in which they joined, not the order in which they began
 * to wait; otherwise the response after a slower check would be sent later.
 */
class SharedDeadline {
  private joined = 0;
  private hasExpired = false;
  private readonly waiting: { readonly rank: number; readonly resume: () => void }[] = [];

  constructor(ms: number) {
    setTimeout(() => this.expire(), ms).unref();
  }

  /** Reserves a rank and returns a function that waits for the deadline. Requests that never call it take no memory. */
  join(): () => Promise<void> {
    const rank = this.joined++;
    return () =>
      this.hasExpired ? Promise.resolve() : new Promise((resume) => void this.waiting.push({ rank, resume }));
  }

  private expire(): void {
    this.hasExpired = true;
    this.waiting.sort((a, b) => a.rank - b.rank);
    for (const { resume } of this.waiting.splice(0)) resume();
  }
}

/** Returns a function that joins a deadline `ms` from now, shared with other recent calls. */
const createDeadlines = (ms: number): (() => () => Promise<void>) => {
  let createdAt = -Infinity;
  let deadline: SharedDeadline;
  return () => {
    const now = performance.now();
    if (now - createdAt > SHARED_MS) {
      createdAt = now;
      deadline = new SharedDeadline(ms);
    }
    return deadline.join();
  };
};

const joinAfterBody = createDeadlines(AFTER_BODY_MS);
const joinBodyTimeout = createDeadlines(BODY_TIMEOUT_MS);

/**
 * Delays a request's 401, if there is one, until a fixed time after its body was read or after a second passed without
 * a new chunk (D-7). The duration of the checks varies with the cause by microseconds, which is enough to tell the
 * causes apart (bench -- unauthorized-timing). The deadline is therefore set before any check, when head and body have
 * arrived.
 */
export class UniformUnauthorizedDelay implements BodyWatcher {
  private readonly waitForFirstSecond = joinBodyTimeout();
  private lastChunkAt = -Infinity;
  private bodyTimeout: Promise<null> | undefined;
  private waitAfterBody: (() => Promise<void>) | undefined;

  onBodyChunk(): void {
    this.lastChunkAt = performance.now();
  }

  onBodyEnd(): void {
    this.waitAfterBody ??= joinAfterBody();
  }

  /** Waits for the body; returns null if no chunk of it arrives for a second: its signature is then not checked. */
  async waitForBody<Body>(body: Promise<Body>): Promise<Body | null> {
    return Promise.race([body, (this.bodyTimeout ??= this.waitForBodyTimeout())]);
  }

  /** Waits until the 401 is due. @param body settles after {@link onBodyEnd} */
  async elapse(body: Promise<unknown>): Promise<void> {
    if (!this.waitAfterBody) await this.waitForBody(body);
    await this.waitAfterBody?.();
  }

  private async waitForBodyTimeout(): Promise<null> {
    await this.waitForFirstSecond();
    const left = () => this.lastChunkAt + BODY_TIMEOUT_MS - performance.now();
    for (let ms = left(); ms > 0 && !this.waitAfterBody; ms = left()) await sleep(ms, undefined, { ref: false });
    this.waitAfterBody ??= joinAfterBody(); // as if the body had been read: no later check may change the deadline
    return null;
  }
}

/**
 * Where a request enters: an endpoint's own routes; the sandbox, which also accepts test tokens (D-12); or the
 * endpoint's assistant tools, whose clients cannot sign and send the signing secret instead (D-39).
 */
export type EntryPoint = 'endpoint' | 'sandbox' | 'tools';

/** An endpoint that its owner or the operator calls with a management key instead of the endpoint's token. */
export interface ManagedEndpoint {
  readonly endpointId: string;
  readonly ownerId: string;
  readonly sender: Author;
}

const NO_SECRETS: SigningSecrets = new Map();

/** A request that the gate is checking. */
export class GateRequest {
  /** The delay after which a 401 is sent (D-7). */
  readonly unauthorizedDelay = new UniformUnauthorizedDelay();
  /** Reads the body from the start, whether or not a check needs it. */
  readonly body: BodyReader;
  /** The signature of a body that arrives slowly or is too large to keep; null for any other body. */
  streamingSignature: StreamingSignature | null = null;
  /** The authentication failure that caused the body to be dropped before it arrived; never changes once set. */
  droppedFor: string | null = null;
  /**
   * Settles once everything that arrived with the head has been read, possibly the whole body. By then the deadline for
   * a 401 is set, before any check whose duration depends on the cause.
   */
  readonly arrival = Promise.resolve();

  /**
   * @param cachedSnapshot returns the endpoint as this process last read it; null if it has not read it
   * @param fetchSnapshot reads the endpoint as it is now; null if it does not exist
   * @param sender the owner or operator identified by a management key; null for the endpoint's client, which the gate
   * authenticates
   */
  constructor(
    readonly request: FastifyRequest,
    readonly entryPoint: EntryPoint,
    readonly cachedSnapshot: () => EndpointSnapshot | null,
    readonly fetchSnapshot: () => Promise<EndpointSnapshot | null>,
    unauthenticated: UnauthenticatedBodies,
    readonly sender: Author | null = null,
  ) {
    this.body = new BodyReader(request, request.server.requestMemory, unauthenticated, this.unauthorizedDelay);
  }

  /**
   * Waits for the body; returns null if no chunk of it arrives for a second.
   * @throws HttpProblem 503 if the process stopped reading it, see {@link BodyReader.wait}
   */
  async waitForBody(): Promise<ReceivedBody | null> {
    const body = await this.unauthorizedDelay.waitForBody(this.body.received);
    if (body && !body.ok && isBusy(body.problem)) throw body.problem;
    return body;
  }

  /** Signs the body as it arrives. @param head what the signature covers before it */
  signWhileReading(secrets: SigningSecrets, head = ''): void {
    if (this.streamingSignature) return;
    const signature = (this.streamingSignature = new StreamingSignature(secrets, head));
    this.body.passChunks((chunk) => signature.update(chunk));
  }

  /**
   * Drops a body that is still arriving, because its request fails authentication anyway. The bytes are still signed:
   * the response time must not reveal whether only the signature was left to check (D-7).
   */
  dropBody(failure: string): void {
    this.droppedFor = failure;
    this.signWhileReading(NO_SECRETS);
    this.body.drop();
  }
}

/** Decisions in the request log (publish-api.md: Request-log decisions). */
export type Decision =
  | 'accepted'
  | 'accepted_no_project'
  | 'accepted_idempotent_replay'
  | 'rejected_auth'
  | 'rejected_validation'
  | 'rejected_rate_limit'
  | 'rejected_paused'
  | 'rejected_tier'
  | 'rejected_disabled';

/** The reason why the gate rejected a request, for the endpoint's log only (D-36). */
interface Cause {
  /** snake_case. Default: the code of the problem. */
  readonly reason?: string;
  readonly figures?: JsonObject;
  /** The event that explains the rejection. */
  readonly eventId?: string | null;
}

/** A request rejected by the gate: the client's response, and the entry for the endpoint's request log (D-33, D-36). */
export class GateRejection extends HttpProblem {
  readonly reason: string;
  readonly why: JsonObject;

  /** @param endpoint null if none was found: the rejection then appears only in the service's own log (D-14) */
  constructor(
    readonly endpoint: EndpointSnapshot | null,
    readonly decision: Decision,
    problem: HttpProblem,
    { reason = problem.code, figures = {}, eventId = null }: Cause = {},
  ) {
    super(problem.status, problem.code, problem.problems, problem.headers, problem.figures);
    this.name = 'GateRejection';
    this.reason = reason;
    this.why = { rule: reason, figures, event_id: eventId };
  }
}
