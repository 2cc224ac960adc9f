import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { readBearerToken, isTokenValid } from '../public/gate/credentials.js';
import { HttpProblem } from '../transport/http-problem.js';
import { type Log, LOG } from '../../kernel/log.js';
import { FindOwnerByKey } from '../../projections/discovery/discovery.queries.js';
import { hashToken } from '../../secrets/tokens.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { SampledLog } from '../../runtime/sampled-log.js';
import { rememberCaller } from './caller.js';
import { WrongKeys } from './wrong-keys.js';
import { CALL_MESSAGES } from './messages.js';

/** Addresses whose log lines are counted apart. */
const MAX_LOGGED_ADDRESSES = 1_000;

/** A request with a wrong key, as the log shows it. */
interface WrongKeyRequest {
  readonly request_id: string;
  readonly ip: string;
}

/**
 * Authenticates the operator or an owner by API key, before the body is read (management-api.md: Manners). An address that sent
 * more than 100 wrong keys within a minute is answered 429 whatever its key, so that it cannot go on trying (D-55).
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly operatorHash: string;
  private readonly wrongKeys = new WrongKeys();
  private readonly wrongKeyLog: SampledLog<WrongKeyRequest>;
  /** By address. */
  private readonly lockOutLogs = new BoundedCache<SampledLog<WrongKeyRequest>>(MAX_LOGGED_ADDRESSES);

  constructor(
    @Inject(SETTINGS) { operatorKey }: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly queries: QueryBus,
  ) {
    if (operatorKey === null) throw new Error('the management API needs the operator key, set or generated');
    this.operatorHash = hashToken(operatorKey);
    this.wrongKeyLog = new SampledLog((details, requests) =>
      log.info({ ...details, requests }, 'wrong key for the management API'),
    );
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    this.refuseLockedOut(request);
    const key = readBearerToken(request.headers.authorization);
    if (isTokenValid(key, this.operatorHash)) rememberCaller(request, { kind: 'operator' });
    else {
      // Keys are 32 random bytes, so the timing of a look-up by hash reveals nothing.
      const owner = key === '' ? null : await this.queries.execute(new FindOwnerByKey(hashToken(key)));
      if (!owner) throw this.reject(request, key);
      rememberCaller(request, { kind: 'owner', ownerId: owner.owner_id });
    }
    return true;
  }

  private reject(request: FastifyRequest, key: string): HttpProblem {
    if (key === '') return unauthorized(); // no guess
    const { id, clientAddress } = request;
    this.wrongKeys.add(clientAddress);
    this.refuseLockedOut(request);
    this.wrongKeyLog.add({ request_id: id, ip: clientAddress });
    return unauthorized();
  }

  private createLockOutLog(): SampledLog<WrongKeyRequest> {
    return new SampledLog((details, requests) =>
      this.log.warn(
        { ...details, requests },
        'too many wrong keys for the management API: the address is answered 429',
      ),
    );
  }

  /** @throws HttpProblem 429 for an address that sent too many wrong keys (D-55) */
  private refuseLockedOut({ id, clientAddress }: FastifyRequest): void {
    const seconds = this.wrongKeys.retryAfterSeconds(clientAddress);
    if (seconds === 0) return;
    this.lockOutLogs
      .getOrCreate(clientAddress, () => this.createLockOutLog())
      .add({ request_id: id, ip: clientAddress });
    const message = CALL_MESSAGES.tooManyWrongKeys({ seconds });
    throw HttpProblem.withMessage(429, 'too_many_wrong_keys', message, { 'retry-after': String(seconds) });
  }
}

const unauthorized = (): HttpProblem => {
  const message = CALL_MESSAGES.keyNeeded;
  return HttpProblem.withMessage(401, 'unauthorized', message, { 'www-authenticate': 'Bearer' });
};
