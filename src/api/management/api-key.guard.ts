import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { readBearerToken, isTokenValid } from '../public/gate/credentials.js';
import { HttpProblem } from '../transport/http-problem.js';
import { FindOwnerByKey } from '../../projections/discovery/discovery.queries.js';
import { hashToken } from '../../secrets/tokens.js';
import { rememberCaller } from './caller.js';
import { CALL_MESSAGES } from './messages.js';
import { WrongKeyLockout } from './wrong-key-lockout.js';

/**
 * Authenticates the operator or an owner by API key, before the body is read (management-api.md: Manners). An address that sent
 * too many wrong keys is answered 429 whatever its key.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly operatorHash: string;

  constructor(
    @Inject(SETTINGS) { operatorKey }: Settings,
    private readonly lockout: WrongKeyLockout,
    private readonly queries: QueryBus,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = hashToken(operatorKey);
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    this.lockout.refuseLockedOut(request);
    const key = readBearerToken(request.headers.authorization);
    if (isTokenValid(key, this.operatorHash)) rememberCaller(request, { kind: 'operator' });
    else {
      // Keys are 32 random bytes, so the timing of a look-up by hash reveals nothing.
      const owner = key === '' ? null : await this.queries.execute(new FindOwnerByKey(hashToken(key)));
      if (!owner) throw this.reject(request, key);
      rememberCaller(request, { kind: 'owner', ownerId: owner.owner_id });
      request.answerHolder = owner.owner_id;
    }
    return true;
  }

  private reject(request: FastifyRequest, key: string): HttpProblem {
    if (key !== '') this.lockout.countWrongKey(request); // a missing key is no guess
    return unauthorizedProblem();
  }
}

/** Returns the problem for a missing, wrong or replaced key. */
export const unauthorizedProblem = (): HttpProblem => {
  const message = CALL_MESSAGES.keyNeeded;
  return HttpProblem.withMessage(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' });
};
