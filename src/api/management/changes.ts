import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../commands/command-result.js';
import type { Position } from '../../event-store/port.js';
import { headerText } from '../transport/header-text.js';
import { HttpProblem } from '../transport/http-problem.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { isRejection } from '../../kernel/result.js';
import { validateIdempotencyKey } from '../../payload/idempotency-key.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { SecretVault } from '../../secrets/vault.js';
import { actorOf, callerOf } from './caller.js';
import { Change } from './change.js';
import { type Reader, readDraft } from './request-body.js';
import { IdempotentAnswers, type KeptAnswer } from './idempotent-answers.js';
import { refusal } from './refusals.js';

/** A call that changes something: how its body is read, and with which status success is answered. */
export interface ChangingCall<T> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly read: Reader<T>;
  readonly status?: 200 | 201;
}

/** What a change came to. */
export interface Changed {
  readonly outcome: Outcome;
  /** Projections that must show it before the call is answered. */
  readonly views: readonly string[];
  /** The thing as it then is. */
  readonly show: () => Promise<object>;
  /** What no later answer shows again. */
  readonly shownOnce?: Readonly<Record<string, string>>;
}

type Work<T> = (draft: T, change: Change) => Promise<Changed>;

/**
 * The way of every change: body → schema → idempotency key → command → views → answer. Read your writes: the answer
 * comes when the views that the API reads show the change (management-api.md: Manners).
 */
@Injectable()
export class Changes {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly answers: IdempotentAnswers,
    private readonly progress: ProjectionProgress,
    private readonly vault: SecretVault,
  ) {}

  /** A change that may be repeated as it is: PATCH. */
  async patch<T>(call: ChangingCall<T>, work: Work<T>): Promise<object> {
    const { draft } = await readDraft(call.request, call.read);
    return this.withoutKey(call, (change) => work(draft, change));
  }

  /** A POST; under an Idempotency-Key it has its effect once, and a repeat within 24 hours gets the same body. */
  async post<T>(call: ChangingCall<T>, work: Work<T>): Promise<object> {
    const { request, read } = call;
    const key = idempotencyKeyOf(request);
    const { draft, bytes } = await readDraft(request, read);
    if (key === undefined) return this.withoutKey(call, (change) => work(draft, change));
    return this.withKey(call, key, hashOf(request, bytes), (change) => work(draft, change));
  }

  private async withoutKey<T>(call: ChangingCall<T>, work: (change: Change) => Promise<Changed>): Promise<object> {
    const { kept, shownOnce } = await this.carryOut(call, work, this.changeOf(call.request, null));
    return answer(call.reply, { ...kept, body: { ...kept.body, ...shownOnce } });
  }

  private async withKey<T>(
    call: ChangingCall<T>,
    key: string,
    hash: string,
    work: (change: Change) => Promise<Changed>,
  ): Promise<object> {
    const { request, reply } = call;
    const caller = actorOf(callerOf(request));
    const claim = await this.answers.claim(caller, key, hash);
    if (claim.kind === 'taken') throw keyTaken();
    if (claim.kind === 'answered') return repeat(reply, claim.answer);
    const change = this.changeOf(request, { key, since: claim.since });
    try {
      const { kept, shownOnce } = await this.carryOut(call, work, change);
      const masked = { ...kept, body: { ...kept.body, ...masks(shownOnce) } };
      const earlier = await this.answers.keep(caller, key, hash, masked);
      await change.forget();
      if (earlier) return repeat(reply, earlier);
      return answer(reply, { ...kept, body: { ...kept.body, ...shownOnce } });
    } catch (error) {
      // Refused: nothing has happened. After anything else something may have: the key stays with this request.
      if (error instanceof HttpProblem && error.status < 500) {
        await change.forget();
        await this.answers.release(caller, key, hash);
      }
      throw error;
    }
  }

  private changeOf(request: FastifyRequest, named: ConstructorParameters<typeof Change>[3]): Change {
    return new Change(actorOf(callerOf(request)), request.id, this.clock.now(), named, this.vault);
  }

  private async carryOut<T>(
    { status = 200 }: ChangingCall<T>,
    work: (change: Change) => Promise<Changed>,
    change: Change,
  ): Promise<{ kept: KeptAnswer; shownOnce: Readonly<Record<string, string>> }> {
    const { outcome, views, show, shownOnce = {} } = await work(change);
    if (isRejection(outcome)) throw refusal(outcome);
    const { position } = outcome;
    if (position >= 0n && !(await this.progress.waitFor(views, position))) throw viewsBehind(position);
    return { kept: { status, position: position >= 0n ? String(position) : null, body: await show() }, shownOnce };
  }
}

const answer = (reply: FastifyReply, { status, position, body }: KeptAnswer): object => {
  void reply.code(status);
  if (position !== null) void reply.header('x-position', position);
  return body;
};

const repeat = (reply: FastifyReply, kept: KeptAnswer): object => {
  void reply.header('idempotency-replayed', 'true');
  return answer(reply, kept);
};

const masks = (shownOnce: Readonly<Record<string, string>>): Record<string, null> =>
  Object.fromEntries(Object.keys(shownOnce).map((name) => [name, null]));

const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const checked = validateIdempotencyKey(headerText(request, 'idempotency-key'));
  if (!checked.ok) throw new HttpProblem(checked.status, 'invalid', checked.problems);
  return checked.key;
};

const hashOf = ({ method, url }: FastifyRequest, body: Buffer): string =>
  createHash('sha256').update(`${method} ${url}\n`).update(body).digest('hex');

const keyTaken = (): HttpProblem =>
  HttpProblem.of(
    409,
    'idempotency_conflict',
    'This Idempotency-Key was used for another request within the last 24 hours: send a new key with a new request.',
  );

const viewsBehind = (position: Position): HttpProblem => {
  const message = `The change was made (position ${position}), but what the API reads does not show it yet. Read again in a while; a repeat is safe with the same Idempotency-Key.`;
  return HttpProblem.of(503, 'views_behind', message, { 'retry-after': '5', 'x-position': String(position) });
};
