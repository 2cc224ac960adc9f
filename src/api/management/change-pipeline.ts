import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import {
  type Author,
  type CommandContext,
  type CommandOutcome,
  originOfRequest,
  type RequestOrigin,
} from '../../commands/command.js';
import type { Position } from '../../event-store/port.js';
import { CLOCK, type Clock, type Instant } from '../../kernel/clock.js';
import { deriveTimedId, deriveUuid, type IdPrefix } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { validateIdempotencyKey } from '../../payload/validate.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { SecretVault } from '../../secrets/vault.js';
import { type BodyReader, fieldsReader } from '../transport/fields.js';
import { readHeaderText } from '../transport/headers.js';
import { HttpProblem, toHttpProblem } from '../transport/problem.view.js';
import { getActor, getAuthor } from './api-key.guard.js';
import { CALL_MESSAGES } from './messages.js';
import type { Call } from './owned-resources.js';
import { readRequestBody } from './request-body.js';

/**
 * A requested change. With an Idempotency-Key, its ids are derived from the caller, the key and the time the key was
 * claimed, and its secrets are generated once. A retry (even a concurrent one, in another process, or after a crash) is
 * therefore the same command: the same ids, events and secrets.
 */
export class Change {
  /** The command's id, time and origin. */
  readonly context: CommandContext;
  private hasDrawn = false;

  /** @param keyClaim null without a key; ids are then derived from the request's id */
  constructor(
    author: Author,
    request: RequestOrigin,
    at: Instant,
    private readonly keyClaim: { readonly key: string; readonly since: Instant } | null,
    private readonly vault: SecretVault,
  ) {
    const commandId = keyClaim ? `manage/${author.actor}/${keyClaim.since}/${keyClaim.key}` : `manage/${request.id}`;
    this.context = { ...originOfRequest(author, request), commandId, at };
  }

  /** Returns the id of the resource that this change creates. */
  newId(prefix: IdPrefix): string {
    const { commandId, at } = this.context;
    return deriveTimedId(prefix, `${commandId}/${prefix}`, this.keyClaim?.since ?? at);
  }

  /**
   * Generates the secrets that are shown only in this response. With a key, they are stored encrypted until the
   * response is stored, so every process that executes the change shows the same secrets.
   */
  async drawSecrets<S extends Record<string, string>>(random: () => S): Promise<S> {
    if (!this.keyClaim) return random();
    this.hasDrawn = true;
    await this.vault.storeSecret(random(), null, this.drawnSecretsId);
    // If they were erased in the meantime, another request has already responded; new secrets will neither take effect
    // nor be shown.
    return ((await this.vault.readSecret(this.drawnSecretsId)) as S | null) ?? random();
  }

  /** Erases the generated secrets. Call this once a response is stored or the change was rejected. */
  async eraseDrawnSecrets(): Promise<void> {
    if (this.hasDrawn) await this.vault.eraseSecret(this.drawnSecretsId);
  }

  private get drawnSecretsId(): string {
    return deriveUuid(`${this.context.commandId}/shown-once`);
  }
}

/** The response that every replay gets, with null for each secret that was shown once (D-47). */
export interface StoredResponse {
  readonly status: number;
  /** Position of the change, for `X-Position`; null if nothing changed. */
  readonly position: string | null;
  readonly body: object;
}

/** The result of claiming an idempotency key. */
export type KeyClaim =
  /** No response has been stored yet. `since` is the same for all requests with the key. */
  | { readonly kind: 'open'; readonly since: Instant }
  | { readonly kind: 'answered'; readonly response: StoredResponse }
  /** The key belongs to another request. */
  | { readonly kind: 'taken' };

interface Row {
  readonly request_hash: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly since: bigint;
}

const SINCE = 'floor(extract(epoch from at) * 1000)::bigint as since';
/** How long a retry gets the stored response (management-api.md: Manners). */
const KEY_LIFETIME = "interval '24 hours'";
/** Age at which a stored response is deleted: the replay period plus a margin. */
const RETENTION = "interval '25 hours'";

/**
 * Stores responses to POSTs with an Idempotency-Key, by caller and key, for 24 hours. A claim is not a lock: all
 * requests with a key execute the same command, which takes effect once, and the first to finish stores its response.
 * Therefore no request waits for another, and after a crash a retry completes the change.
 */
@Injectable()
export class IdempotentResponses {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Claims a key. @param requestHash distinguishes a retry from a different request with the same key */
  async claimKey(caller: string, key: string, requestHash: string): Promise<KeyClaim> {
    for (;;) {
      const claimed = await this.pool.query<Pick<Row, 'since'>>(
        `insert into ops_idempotent_answer as a (caller, key, request_hash) values ($1, $2, $3)
         on conflict (caller, key) do update
           set at = excluded.at, request_hash = excluded.request_hash, status = null, body = null
           where a.at < now() - ${KEY_LIFETIME}
         returning ${SINCE}`,
        [caller, key, requestHash],
      );
      if (claimed.rows[0]) {
        await this.pool.query(`delete from ops_idempotent_answer where at < now() - ${RETENTION}`);
        return { kind: 'open', since: Number(claimed.rows[0].since) };
      }
      const row = await this.findRow(caller, key);
      if (!row) continue; // released in the meantime
      if (row.request_hash !== requestHash) return { kind: 'taken' };
      return row.status === null
        ? { kind: 'open', since: Number(row.since) }
        : { kind: 'answered', response: toStoredResponse(row) };
    }
  }

  /** Stores a response unless the key already has one. @returns the earlier response; null if there was none */
  async storeResponse(
    caller: string,
    key: string,
    requestHash: string,
    response: StoredResponse,
  ): Promise<StoredResponse | null> {
    const { status, ...rest } = response;
    const { rowCount } = await this.pool.query(
      `insert into ops_idempotent_answer as a (caller, key, request_hash, status, body) values ($1, $2, $3, $4, $5)
       on conflict (caller, key) do update set status = excluded.status, body = excluded.body where a.status is null`,
      [caller, key, requestHash, status, JSON.stringify(rest)],
    );
    if (rowCount === 1) return null;
    const row = await this.findRow(caller, key);
    return row?.status ? toStoredResponse(row) : null;
  }

  /** Releases the key of a rejected request so that the request can be corrected and sent again. */
  async releaseKey(caller: string, key: string, requestHash: string): Promise<void> {
    await this.pool.query(
      'delete from ops_idempotent_answer where caller = $1 and key = $2 and request_hash = $3 and status is null',
      [caller, key, requestHash],
    );
  }

  private async findRow(caller: string, key: string): Promise<Row | undefined> {
    const text = `select request_hash, status, body, ${SINCE} from ops_idempotent_answer where caller = $1 and key = $2`;
    return (await this.pool.query<Row>(text, [caller, key])).rows[0];
  }
}

const toStoredResponse = ({ status, body }: Row): StoredResponse => ({
  ...(JSON.parse(body!) as Omit<StoredResponse, 'status'>),
  status: status!,
});

/** A request that makes a change. */
export interface ChangingCall<T> extends Call {
  /** Default: a body without fields. */
  readonly read?: BodyReader<T>;
  /** Status of success. Default: 200. */
  readonly status?: 200 | 201 | 202;
}

const readNothing = fieldsReader(class EmptyBody {}) as BodyReader<never>;

type Secrets = Readonly<Record<string, string>>;
type NoSecrets = Readonly<Record<never, string>>;

/** A resource with secrets that are shown only once; they are null in a replayed response (D-47). */
export type WithSecrets<V, S> = V & { readonly [Name in keyof S]: string | null };

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
    const { body } = await readRequestBody(call.request, call.read ?? readNothing);
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
    const { request, read = readNothing } = call;
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
    return new Change(getAuthor(request), request, this.clock.now(), keyClaim, this.vault);
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
