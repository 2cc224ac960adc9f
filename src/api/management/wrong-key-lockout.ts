import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LOG, type Log } from '../../kernel/log.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { SampledLog } from '../../runtime/sampled-log.js';
import { HttpProblem } from '../transport/http-problem.js';
import { CALL_MESSAGES } from './messages.js';
import { WrongKeys } from './wrong-keys.js';

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
