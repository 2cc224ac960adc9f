import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { ChangeBudget } from '../../limits/change-budget.js';
import { FindOwnerByKey } from '../../projections/discovery/discovery.queries.js';
import { hashToken } from '../../secrets/tokens.js';
import { DOCUMENTATION, type RouteDocumentation } from '../documentation/documented.js';
import { isTokenValid, readBearerToken } from '../transport/credentials.js';
import { HttpProblem } from '../transport/http-problem.js';
import { rememberCaller } from './caller.js';
import { forbiddenProblem, notFoundProblem } from './http-problems.js';
import { ID_PATTERN } from './id.pipe.js';
import { CALL_MESSAGES } from './messages.js';
import { WrongKeyLockout } from './wrong-key-lockout.js';

/**
 * Authenticates the operator or an owner by API key, before the body is read, and refuses owners on operator-only
 * routes (management-api.md: Manners). An address that sent too many wrong keys gets 429 for further wrong keys. A
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
    private readonly findOwnerByKey: FindOwnerByKey,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = hashToken(operatorKey);
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = readBearerToken(request.headers.authorization);
    if (isTokenValid(key, this.operatorHash)) rememberCaller(request, { kind: 'operator' });
    else {
      // Keys are 32 random bytes, so the timing of a lookup by hash reveals nothing. The lookup comes before the 429.
      const owner = key === '' ? null : await this.findOwnerByKey.execute(hashToken(key));
      if (!owner) {
        if (key !== '') this.lockout.countWrongKey(request); // a missing key does not count as a guess
        throw unauthorizedProblem();
      }
      rememberCaller(request, { kind: 'owner', ownerId: owner.owner_id });
      request.answerHolder = owner.owner_id;
      refuseOnOperatorRoute(context, owner.owner_id);
      if (isChange(context)) await this.takeChange(owner.owner_id);
    }
    return true;
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

/** Returns the problem for a missing, invalid or replaced key. */
export const unauthorizedProblem = (): HttpProblem =>
  HttpProblem.withMessage(401, 'unauthorized', CALL_MESSAGES.keyNeeded, { 'www-authenticate': 'Bearer' });
