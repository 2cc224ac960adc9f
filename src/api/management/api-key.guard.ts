import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { EMPTY, from, lastValueFrom, type Observable } from 'rxjs';
import type { Author } from '../../commands/command.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { CLOCK, type Clock, type Instant, iso } from '../../kernel/clock.js';
import { type Actor, hasScope, keyActor, ownerActor, type Scope } from '../../kernel/events.js';
import { LOG, type Log } from '../../kernel/log.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { ChangeBudget } from '../../limits/budgets.js';
import { POOL } from '../../postgres/tokens.js';
import type { Sight } from '../../projections/discovery/discovery.queries.js';
import type { KeyRow } from '../../projections/discovery/discovery.tables.js';
import { FindKey } from '../../projections/discovery/keys.queries.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { SampledLog } from '../../runtime/sampled-log.js';
import { hashToken } from '../../secrets/tokens.js';
import { DOCUMENTATION, type RouteDocumentation } from '../documentation/documented.js';
import { takeHeavyReadTurn } from '../transport/answers.js';
import { isTokenValid, readBearerToken } from '../transport/headers.js';
import { forbiddenProblem, HttpProblem, notFoundProblem } from '../transport/problem.view.js';
import { ID_PATTERN } from './common-fields.js';
import { CALL_MESSAGES } from './messages.js';
import { ConsoleSessions } from './sessions/console-sessions.js';

/** When and from where a key was last used. */
export interface KeyUse {
  readonly at: Instant;
  readonly ip: string;
}

const MAX_KEYS = 10_000;
/** Minimum time between two writes for one key, in ms: `last_used` is exact to a minute (D-93). */
const INTERVAL_MS = 30_000;

/** Records when keys were last used, outside the event log: otherwise every read would append an event. */
@Injectable()
export class KeyUses {
  /** When this process last wrote, by key. */
  private readonly stored = new BoundedCache<Instant>(MAX_KEYS);

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Records a use, without waiting for the database. */
  note(keyId: string, ip: string): void {
    const at = this.clock.now();
    const last = this.stored.get(keyId);
    if (last !== undefined && at - last < INTERVAL_MS) return;
    this.stored.set(keyId, at);
    const stored = this.pool.query({
      name: 'note use of key',
      text: `insert into ops_key_use as u (key_id, at, ip) values ($1, $2, $3)
             on conflict (key_id) do update set at = excluded.at, ip = excluded.ip where u.at < excluded.at`,
      values: [keyId, at, ip],
    });
    stored.catch(() => this.stored.delete(keyId));
  }

  /** Returns the last use of keys, by id. */
  async find(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    const { rows } = await this.pool.query<{ key_id: string; at: string; ip: string }>({
      name: 'uses of keys',
      text: 'select key_id, at, ip from ops_key_use where key_id = any($1)',
      values: [keyIds],
    });
    return new Map(rows.map(({ key_id, at, ip }) => [key_id, { at: Number(at), ip }]));
  }
}

/** The authenticated caller of a management request (management-api.md: Manners; D-93, D-94). */
export type Caller =
  | { readonly kind: 'operator' }
  | { readonly kind: 'owner'; readonly ownerId: string; readonly key: KeyRow }
  /** `ownerId` is null for an auditor of all owners. */
  | { readonly kind: 'auditor'; readonly ownerId: string | null; readonly key: KeyRow };

const callers = new WeakMap<FastifyRequest, Caller>();

/** Stores a request's authenticated caller. */
export const rememberCaller = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);

/** Returns a request's caller. @throws Error if the guard has not authenticated it */
export const getCaller = (request: FastifyRequest): Caller => {
  const caller = callers.get(request);
  if (!caller) throw new Error('this management route has no ApiKeyGuard');
  return caller;
};

const keyHashes = new WeakMap<FastifyRequest, string>();

/** Returns the SHA-256 of the key that a request was sent with, or that its session stands for. */
export const getKeyHash = (request: FastifyRequest): string => keyHashes.get(request) ?? '';

/** Returns the caller in the form that events use. */
export const getActor = (request: FastifyRequest): Actor => getAuthor(request).actor;

/** Returns the caller as the author of a change, with what its key may do. */
export const getAuthor = (request: FastifyRequest): Author => {
  const caller = getCaller(request);
  if (caller.kind === 'operator') return { actor: 'operator' };
  const { key_id: id, owner_id: ownerId, name, scopes, endpoint_ids: endpointIds, is_main } = caller.key;
  if (is_main) return { actor: ownerActor(ownerId!) };
  return { actor: keyActor(id), actorName: name, rights: { ownerId, scopes, endpointIds } };
};

/** True if the caller may decide about posts that wait for approval (D-93). */
export const mayApprove = (request: FastifyRequest): boolean => {
  const caller = getCaller(request);
  return caller.kind === 'operator' || hasScope(caller.key.scopes, 'approve');
};

/** Returns what the caller may see. */
export const getSight = (request: FastifyRequest): Sight => {
  const caller = getCaller(request);
  if (caller.kind === 'operator') return { ownerId: null, endpointIds: null };
  return { ownerId: caller.ownerId, endpointIds: caller.key.endpoint_ids };
};

/** Returns the owner whose resources the caller may see; null for the operator and some auditors, who see all. */
export const getOwnerScope = (request: FastifyRequest): string | null => getSight(request).ownerId;

/** Returns the holder that the caller's memory and time use counts against: the owner's id, or `operator`. */
export const getHolder = (request: FastifyRequest): string => {
  const caller = getCaller(request);
  return caller.kind === 'operator' ? 'operator' : (caller.ownerId ?? caller.key.key_id);
};

/**
 * Returns the owner whose resources a list shows: the requested owner, or else the caller; null for all owners.
 * @param owner the query's `owner_id`
 * @throws HttpProblem 404 if an owner requests another owner's resources
 */
export const getListScope = (request: FastifyRequest, owner: string | undefined): string | null => {
  const scope = getOwnerScope(request);
  if (scope !== null && owner !== undefined && owner !== scope) throw notFoundProblem('owner');
  return scope ?? owner ?? null;
};

const MINUTE_MS = 60_000;
/** Number of wrong keys that an address may send within a minute (D-55). */
const ALLOWED = 100;
/** Maximum number of addresses to track. Above that, the address with the oldest last wrong key is dropped. */
const MAX_ADDRESSES = 10_000;

/** Counts wrong management keys by address, in a sliding minute (D-55). */
export class WrongKeys {
  /** Times of each address's latest wrong keys, oldest first; at most one more than allowed. */
  private readonly times = new BoundedCache<number[]>(MAX_ADDRESSES);

  /** @param now returns the time of a monotonic clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(address: string): void {
    const times = this.times.get(address) ?? [];
    times.push(this.now());
    if (times.length > ALLOWED + 1) times.shift();
    this.times.set(address, times);
  }

  /** Returns how long an address has to wait, in whole seconds; 0 if it sent no more wrong keys than allowed. */
  retryAfterSeconds(address: string): number {
    const times = this.times.get(address);
    if (!times || times.length <= ALLOWED) return 0;
    return Math.max(0, Math.ceil((times[0]! + MINUTE_MS - this.now()) / 1_000));
  }
}

/** Maximum number of addresses that get their own log lines. */
const MAX_LOGGED_ADDRESSES = 1_000;

/** Log details of a request with a wrong key. */
interface WrongKeyRequest {
  readonly request_id: string;
  readonly ip: string;
}

/**
 * Answers 429 to wrong keys and sign-in codes from an address that sent more than 100 of them within a minute (D-55).
 * Right ones are not affected (D-86).
 */
@Injectable()
export class WrongKeyLockout {
  private readonly wrongKeys = new WrongKeys();
  private readonly wrongKeyLog: SampledLog<WrongKeyRequest>;
  private readonly lockOutLogs = new BoundedCache<SampledLog<WrongKeyRequest>>(MAX_LOGGED_ADDRESSES);

  constructor(@Inject(LOG) private readonly log: Log) {
    this.wrongKeyLog = new SampledLog((details, requests) =>
      log.info({ ...details, requests }, 'wrong key for the management API'),
    );
  }

  /** Counts a request with a wrong key. @throws HttpProblem 429 if the address has now sent too many */
  countWrongKey(request: FastifyRequest): void {
    const { id, clientAddress } = request;
    this.wrongKeys.add(clientAddress);
    this.refuseLockedOut(request);
    this.wrongKeyLog.add({ request_id: id, ip: clientAddress });
  }

  private refuseLockedOut({ id, clientAddress }: FastifyRequest): void {
    const seconds = this.wrongKeys.retryAfterSeconds(clientAddress);
    if (seconds === 0) return;
    this.lockOutLogs
      .getOrCreate(clientAddress, () => this.createLockOutLog())
      .add({ request_id: id, ip: clientAddress });
    const message = CALL_MESSAGES.tooManyWrongKeys({ seconds });
    throw HttpProblem.withMessage(429, 'too_many_wrong_keys', message, { 'retry-after': String(seconds) });
  }

  private createLockOutLog(): SampledLog<WrongKeyRequest> {
    return new SampledLog((details, requests) =>
      this.log.warn(
        { ...details, requests },
        'too many wrong keys for the management API: the address now gets 429 for them',
      ),
    );
  }
}

/**
 * Authenticates the caller by API key, before the body is read, and refuses what the key may not do: operator-only
 * routes, missing scopes, routes beyond a limit (management-api.md: Manners; D-93, D-94). An address that sent too many wrong keys gets 429 for further wrong keys. A
 * right key always works: otherwise one client behind a proxy could lock out the others (D-86). All changes of owners
 * pass here, so this is where they take from their budget (D-83).
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly operatorHash: string;

  constructor(
    @Inject(SETTINGS) { operatorKey }: Settings,
    private readonly lockout: WrongKeyLockout,
    private readonly changes: ChangeBudget,
    private readonly findKey: FindKey,
    private readonly uses: KeyUses,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sessions: ConsoleSessions,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = hashToken(operatorKey);
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = readBearerToken(request.headers.authorization);
    const hash = key === '' ? await this.sessions.findKeyHash(request) : hashToken(key);
    if (hash !== null) keyHashes.set(request, hash);
    if (isTokenValid(key, this.operatorHash) || (key === '' && hash === this.operatorHash))
      rememberCaller(request, { kind: 'operator' });
    else {
      const caller = await this.findCaller(request, hash, key !== '');
      rememberCaller(request, caller);
      const holder = getHolder(request);
      request.answerHolder = holder;
      refuseCall(context, caller);
      this.uses.note(caller.key.key_id, request.clientAddress);
      if (isChange(context)) await this.takeChange(holder);
    }
    return true;
  }

  /**
   * Finds a caller by its key's hash. @param isKey false for the key of a session, which is no guess
   * @throws HttpProblem 401, or 429 after too many wrong keys
   */
  private async findCaller(
    request: FastifyRequest,
    hash: string | null,
    isKey: boolean,
  ): Promise<Exclude<Caller, { kind: 'operator' }>> {
    if (hash === null) throw unauthorizedProblem(); // a missing key does not count as a guess
    // Keys are 32 random bytes, so the timing of a lookup by hash reveals nothing. The lookup comes before the 429.
    const row = await this.findKey.execute(hash);
    const state = row && stateOfKey(row, hash, iso(this.clock.now()));
    if (!row || state !== 'valid') {
      if (isKey) this.lockout.countWrongKey(request);
      throw state === 'expired' ? expiredProblem() : unauthorizedProblem();
    }
    const { owner_id: ownerId } = row;
    if (ownerId === null || row.scopes.includes('audit')) return { kind: 'auditor', ownerId, key: row };
    return { kind: 'owner', ownerId, key: row };
  }

  /** @throws HttpProblem 429 for an owner that makes too many changes (D-83) */
  private async takeChange(ownerId: string): Promise<void> {
    const seconds = await this.changes.take(ownerId);
    if (seconds === null) return;
    throw HttpProblem.withRetryAfter(seconds, 429, 'too_many_changes', CALL_MESSAGES.tooManyChanges({ seconds }));
  }
}

const documentationOf = (context: ExecutionContext): RouteDocumentation | undefined =>
  Reflect.getMetadata(DOCUMENTATION, context.getHandler()) as RouteDocumentation | undefined;

/** True for a request that may change something. A question, such as a preview, is a POST that changes nothing. */
const isChange = (context: ExecutionContext): boolean => {
  const { method } = context.switchToHttp().getRequest<FastifyRequest>();
  return method !== 'GET' && method !== 'HEAD' && documentationOf(context)?.isQuestion !== true;
};

/** @param hash of the key that was sent @param now ISO 8601 */
export const stateOfKey = (row: KeyRow, hash: string, now: string): 'valid' | 'expired' | 'replaced' => {
  if (row.key_hash !== hash && (row.previous_until === null || row.previous_until <= now)) return 'replaced';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'valid';
};

/** @throws HttpProblem 403 for a call that a key does not allow; 404 where an owner must not learn about others */
const refuseCall = (context: ExecutionContext, caller: Exclude<Caller, { kind: 'operator' }>): void => {
  const { scope = 'manage', forLimitedKeys, forAuditors } = documentationOf(context) ?? {};
  const { scopes, endpoint_ids } = caller.key;
  if (caller.kind === 'auditor') {
    const { method } = context.switchToHttp().getRequest<FastifyRequest>();
    if (method !== 'GET' && method !== 'HEAD' && !forAuditors) throw forbiddenProblem(CALL_MESSAGES.auditorsRead);
    if (caller.ownerId !== null && !forAuditors) refuseOnOperatorRoute(context, caller.ownerId);
    return;
  }
  refuseOnOperatorRoute(context, caller.ownerId);
  if (!hasScope(scopes, scope)) throw missingScopeProblem(scope);
  if (endpoint_ids !== null && !forLimitedKeys)
    throw HttpProblem.withMessage(403, 'key_limited', CALL_MESSAGES.keyLimited);
};

const missingScopeProblem = (needed: Scope): HttpProblem => {
  const message = RESOURCE_MESSAGES.missingScope({ scope: needed });
  return new HttpProblem(403, 'missing_scope', [{ path: '', code: 'missing_scope', message }], {}, { needed });
};

const ABOUT_OWNER = /\/owners\/:id(\/|$)/;

/** @throws HttpProblem 403 on an operator-only route; 404 for a malformed id or the id of another owner */
const refuseOnOperatorRoute = (context: ExecutionContext, ownerId: string): void => {
  const documentation = documentationOf(context);
  if (documentation?.operatorOnly === undefined) return;
  const { params, routeOptions } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { id?: string } }>>();
  if (params.id !== undefined && !ID_PATTERN.test(params.id)) throw notFoundProblem('resource');
  // An owner must not learn which other owners exist.
  if (ABOUT_OWNER.test(routeOptions.url ?? '') && params.id !== ownerId) throw notFoundProblem('owner');
  throw forbiddenProblem(documentation.operatorOnly);
};

const expiredProblem = (): HttpProblem =>
  HttpProblem.withMessage(401, 'key_expired', CALL_MESSAGES.keyExpired, { 'www-authenticate': 'Bearer' });

/** Returns the problem for a missing, invalid or replaced key. */
export const unauthorizedProblem = (): HttpProblem =>
  HttpProblem.withMessage(401, 'unauthorized', CALL_MESSAGES.keyNeeded, { 'www-authenticate': 'Bearer' });

/**
 * Processes large reads, such as full lists, two at a time per owner and for the operator (D-68). Further reads wait in
 * order of arrival, so an owner with many connections gets no more thread time than an owner with two.
 */
@Injectable()
export class HeavyReadTurn implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const release = await takeHeavyReadTurn(getHolder(request));
    try {
      // No response is needed if the client has disconnected in the meantime.
      if (request.raw.socket.destroyed) return EMPTY;
      return from([await lastValueFrom(next.handle())]);
    } finally {
      release();
    }
  }
}
