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

/** Authenticates the operator or an owner by API key, before the body is read (management-api.md: Manners). */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly operatorHash: string;

  constructor(
    @Inject(SETTINGS) { operatorKey }: Settings,
    private readonly queries: QueryBus,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = hashToken(operatorKey);
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = readBearerToken(request.headers.authorization);
    if (isTokenValid(key, this.operatorHash)) rememberCaller(request, { kind: 'operator' });
    else {
      // Keys are 32 random bytes, so the timing of a look-up by hash reveals nothing.
      const owner = key === '' ? null : await this.queries.execute(new FindOwnerByKey(hashToken(key)));
      if (!owner) throw unauthorized();
      rememberCaller(request, { kind: 'owner', ownerId: owner.owner_id });
    }
    return true;
  }
}

const unauthorized = (): HttpProblem => {
  const message = "Send the operator's or an owner's key: Authorization: Bearer <key>.";
  return HttpProblem.withMessage(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' });
};
