import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandOutcome } from '../../commands/command-result.js';
import type { Position } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isRejection } from '../../kernel/result.js';
import { validateIdempotencyKey } from '../../payload/idempotency-key.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { SecretVault } from '../../secrets/vault.js';
import { type BodyReader } from '../transport/fields.js';
import { readHeaderText } from '../transport/header-text.js';
import { HttpProblem } from '../transport/http-problem.js';
import { getActor } from './caller.js';
import { Change } from './change.js';
import { toHttpProblem } from './http-problems.js';
import { IdempotentResponses, type StoredResponse } from './idempotent-responses.js';
import { CALL_MESSAGES } from './messages.js';
import { readRequestBody } from './request-body.js';
import type { Call } from './resource-call.js';

/** A request that makes a change, with its body reader and success status. */
export interface ChangingCall<T> extends Call {
  readonly read: BodyReader<T>;
  readonly status?: 200 | 201 | 202;
}

type Secrets = Readonly<Record<string, string>>;
type NoSecrets = Readonly<Record<never, string>>;

/** A resource with secrets that are shown only once; they are null in a replayed response (D-47). */
export type WithSecrets<V, S> = V & { readonly [Name in keyof S]: string | null };

/** The result of a change. */
export interface ChangeResult<V extends object, S extends Secrets = NoSecrets> {
  readonly outcome: CommandOutcome;
  /** Read models that must show the change before the response is sent. */
  readonly readModels: readonly string[];
  /** Returns the resource after the change. */
  readonly show: () => Promise<V>;
  /** Secrets that no later response shows again, by field. */
  readonly shownOnce?: S;
}

/** Read models that show the deletion of a resource and the cancellation of its queued publications. */
export const READ_MODELS_OF_DELETION = ['discovery', 'posts', 'publish-schedule'];

type ChangeHandler<T, V extends object, S extends Secrets> = (body: T, change: Change) => Promise<ChangeResult<V, S>>;

type PreparedChange<V extends object, S extends Secrets> = (change: Change) => Promise<ChangeResult<V, S>>;

/**
 * Processes every change in the same steps: body → schema → idempotency key → command → read models → response. The
 * response waits for the read models, so callers see their own writes (management-api.md: Manners).
 */
@Injectable()
export class ChangePipeline {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly responses: IdempotentResponses,
    private readonly progress: ProjectionProgress,
    private readonly vault: SecretVault,
  ) {}

  /** Processes a PATCH, which is safe to repeat without an Idempotency-Key. */
  async handlePatch<T, V extends object>(call: ChangingCall<T>, handle: ChangeHandler<T, V, NoSecrets>): Promise<V> {
    const { body } = await readRequestBody(call.request, call.read);
    return this.runWithoutKey(call, (change) => handle(body, change));
  }

  /** Processes a DELETE, whose response is 204 without a body. A retry gets 404, because the resource is gone. */
  async handleDelete(
    call: Call,
    handle: (change: Change) => Promise<Omit<ChangeResult<never>, 'show'>>,
  ): Promise<void> {
    const { outcome, readModels } = await handle(this.newChange(call.request, null));
    const position = await this.waitForReadModels(outcome, readModels);
    void call.reply.code(204);
    if (position !== null) void call.reply.header('x-position', position);
  }

  /**
   * Processes a POST. With an Idempotency-Key, it takes effect once; a retry within 24 hours gets the same body, with
   * secrets masked.
   */
  async handlePost<T, V extends object, S extends Secrets = NoSecrets>(
    call: ChangingCall<T>,
    handle: ChangeHandler<T, V, S>,
  ): Promise<WithSecrets<V, S>> {
    const { request, read } = call;
    const key = readIdempotencyKey(request);
    const { body, bytes } = await readRequestBody(request, read);
    if (key === undefined) return this.runWithoutKey(call, (change) => handle(body, change));
    return this.runWithKey(call, key, hashRequest(request, bytes), (change) => handle(body, change));
  }

  private async runWithoutKey<V extends object, S extends Secrets>(
    call: ChangingCall<unknown>,
    run: PreparedChange<V, S>,
  ): Promise<WithSecrets<V, S>> {
    const { response, shownOnce } = await this.runChange(call, run, this.newChange(call.request, null));
    return sendResponse(call.reply, { ...response, body: { ...response.body, ...shownOnce } });
  }

  private async runWithKey<V extends object, S extends Secrets>(
    call: ChangingCall<unknown>,
    key: string,
    hash: string,
    run: PreparedChange<V, S>,
  ): Promise<WithSecrets<V, S>> {
    const { request, reply } = call;
    const caller = getActor(request);
    const claim = await this.responses.claimKey(caller, key, hash);
    if (claim.kind === 'taken') throw HttpProblem.withMessage(409, 'idempotency_conflict', CALL_MESSAGES.keyTaken);
    if (claim.kind === 'answered') return replayResponse(reply, claim.response);
    const change = this.newChange(request, { key, since: claim.since });
    try {
      const { response, shownOnce } = await this.runChange(call, run, change);
      const masked = { ...response, body: { ...response.body, ...maskSecrets(shownOnce) } };
      const earlier = await this.responses.storeResponse(caller, key, hash, masked);
      await change.eraseDrawnSecrets();
      if (earlier) return replayResponse(reply, earlier);
      return sendResponse(reply, { ...response, body: { ...response.body, ...shownOnce } });
    } catch (error) {
      // A rejection means that nothing changed. Any other failure may have changed something, so the key stays claimed.
      if (error instanceof HttpProblem && error.status < 500) {
        await change.eraseDrawnSecrets();
        await this.responses.releaseKey(caller, key, hash);
      }
      throw error;
    }
  }

  private newChange(request: FastifyRequest, keyClaim: ConstructorParameters<typeof Change>[3]): Change {
    return new Change(getActor(request), request, this.clock.now(), keyClaim, this.vault);
  }

  private async runChange<V extends object, S extends Secrets>(
    { status = 200 }: ChangingCall<unknown>,
    run: PreparedChange<V, S>,
    change: Change,
  ): Promise<{ response: StoredResponse; shownOnce: Secrets }> {
    const { outcome, readModels, show, shownOnce = {} } = await run(change);
    const position = await this.waitForReadModels(outcome, readModels);
    return { response: { status, position, body: await show() }, shownOnce };
  }

  /**
   * @returns the position of the change; null if nothing changed
   * @throws HttpProblem for a rejection; 503 if the read models do not catch up in time
   */
  private async waitForReadModels(outcome: CommandOutcome, readModels: readonly string[]): Promise<string | null> {
    if (isRejection(outcome)) throw toHttpProblem(outcome);
    const { position } = outcome;
    if (position < 0n) return null;
    if (!(await this.progress.waitFor(readModels, position))) throw readModelsBehindProblem(position);
    return String(position);
  }
}

/** Sets the status and headers and returns the response body. */
const sendResponse = <V>(reply: FastifyReply, { status, position, body }: StoredResponse): V => {
  void reply.code(status);
  if (position !== null) void reply.header('x-position', position);
  return body as V;
};

const replayResponse = <V>(reply: FastifyReply, stored: StoredResponse): V => {
  void reply.header('idempotency-replayed', 'true');
  return sendResponse(reply, stored);
};

const maskSecrets = (shownOnce: Secrets): Record<string, null> =>
  Object.fromEntries(Object.keys(shownOnce).map((name) => [name, null]));

const readIdempotencyKey = (request: FastifyRequest): string | undefined => {
  const checked = validateIdempotencyKey(readHeaderText(request, 'idempotency-key'));
  if (!checked.ok) throw new HttpProblem(checked.status, 'invalid', checked.problems);
  return checked.key;
};

const hashRequest = (request: FastifyRequest, body: Buffer): string => {
  const ifMatch = readHeaderText(request, 'if-match');
  const hash = createHash('sha256').update(`${request.method} ${request.url}\n`);
  // Approving another revision is another request (D-81).
  if (ifMatch !== undefined) hash.update(`If-Match: ${ifMatch}\n`);
  return hash.update(body).digest('hex');
};

const readModelsBehindProblem = (position: Position): HttpProblem => {
  const message = CALL_MESSAGES.viewsBehind({ position: String(position) });
  return HttpProblem.withMessage(503, 'views_behind', message, { 'retry-after': '5', 'x-position': String(position) });
};
