import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { bearerToken, tokenMatches } from '../public/gate/credentials.js';
import { HttpProblem } from '../transport/http-problem.js';
import { FindOwnerByKey } from '../../projections/discovery/discovery.queries.js';
import { tokenHash } from '../../secrets/tokens.js';
import { identify } from './caller.js';

/** Lets in who brings the operator's or an owner's key, before anything of the body is read (management-api.md: Manners). */
@Injectable()
export class KeyGuard implements CanActivate {
  private readonly operatorHash: string;

  constructor(
    @Inject(SETTINGS) { operatorKey }: Settings,
    private readonly queries: QueryBus,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = tokenHash(operatorKey);
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = bearerToken(request.headers.authorization);
    if (tokenMatches(key, this.operatorHash)) identify(request, { kind: 'operator' });
    else {
      // Keys are 32 random bytes: finding one by its hash tells nothing through time.
      const owner = key === '' ? null : await this.queries.execute(new FindOwnerByKey(tokenHash(key)));
      if (!owner) throw unauthorized();
      identify(request, { kind: 'owner', ownerId: owner.owner_id });
    }
    return true;
  }
}

const unauthorized = (): HttpProblem => {
  const message = "Send the operator's or an owner's key: Authorization: Bearer <key>.";
  return HttpProblem.of(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' });
};
