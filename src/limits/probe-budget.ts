import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { LimitsProfile } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { LOG, type Log, silentLog } from '../kernel/log.js';
import { reasonOf } from '../kernel/reason.js';
import { int4Array, int8Array, textArray } from '../postgres/binary-array.js';
import { POOL } from '../postgres/tokens.js';
import { Batcher } from '../runtime/batcher.js';

/** The endpoint whose client caused the requests, and its owner. */
export interface ProbePayer {
  readonly endpoint_id: string;
  readonly owner_id: string;
}

/** Number of requests to client-specified hosts, and number of response bytes. */
export interface ProbeCost {
  readonly probes: number;
  readonly bytes: number;
}

/** Result of a payment. */
export type ProbeVerdict =
  | {
      readonly outcome: 'paid';
      /** Replaces the paid amounts with the amounts actually used. Never throws. */
      readonly settle: (used: ProbeCost) => Promise<void>;
    }
  | {
      readonly outcome: 'refused';
      /** Whole seconds, at least 1, until the request can be paid in full if nothing else is paid in the meantime. */
      readonly retryAfter: number;
      /** The limit that rejected the payment. */
      readonly scope: 'endpoint' | 'owner';
    };

/** A payment that the budget does not cover. */
export type RefusedPayment = Extract<ProbeVerdict, { readonly outcome: 'refused' }>;

interface Payment extends ProbePayer, ProbeCost {
  readonly again: ProbeCost;
}

interface Row {
  readonly payment_id: string | null;
  readonly retry_after: number | null;
  readonly scope: 'endpoint' | 'owner' | null;
}

interface Settlement extends ProbeCost {
  readonly id: string;
}

/**
 * Limits the requests that clients cause before their posts are accepted (media probes, and translations in the
 * sandbox) in a sliding minute, per endpoint and per owner (D-51, ADR-92). The largest possible amounts are paid first
 * and settled once the actual amounts are known, so that the limits are exact across all processes. If a process exits
 * before it settles a payment, the payment counts in full until its minute is over. Concurrent payments share a call.
 */
@Injectable()
export class ProbeBudget {
  private readonly payments: Batcher<Payment, ProbeVerdict>;
  private readonly settlements: Batcher<Settlement, void>;
  private readonly isUnlimited: boolean;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LIMITS_PROFILE) private readonly profile: Pick<LimitsProfile, 'probesPerMinute' | 'probeBytesPerMinute'>,
    @Inject(LOG) private readonly log: Log = silentLog,
  ) {
    this.isUnlimited = profile.probesPerMinute === null && profile.probeBytesPerMinute === null;
    this.payments = new Batcher((payments) => this.payAll(payments), { maxBatchSize: 100 });
    this.settlements = new Batcher((settlements) => this.settleAll(settlements), { maxWaitMs: Infinity });
  }

  /**
   * Pays for requests before they are made.
   * @param most the largest possible amounts; they may exceed a limit only if none of that limit is used yet
   * @param again total amounts that a retry of the client's request would cost if this payment is refused
   * @throws the database's errors; isUnavailable recognises outages
   */
  async pay({ endpoint_id, owner_id }: ProbePayer, most: ProbeCost, again = most): Promise<ProbeVerdict> {
    if (this.isUnlimited) return UNLIMITED;
    return this.payments.submit({ endpoint_id, owner_id, ...most, again });
  }

  private async payAll(payments: readonly Payment[]): Promise<ProbeVerdict[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'pay probes',
      text: 'select * from ops_pay_probes($1,$2,$3,$4,$5,$6,$7,$8)',
      values: [
        textArray(payments.map(({ endpoint_id }) => endpoint_id)),
        textArray(payments.map(({ owner_id }) => owner_id)),
        int4Array(payments.map(({ probes }) => probes)),
        int8Array(payments.map(({ bytes }) => bytes)),
        int4Array(payments.map(({ again }) => again.probes)),
        int8Array(payments.map(({ again }) => again.bytes)),
        this.profile.probesPerMinute,
        this.profile.probeBytesPerMinute,
      ],
    });
    return rows.map(({ payment_id, retry_after, scope }) =>
      payment_id === null
        ? { outcome: 'refused', retryAfter: retry_after!, scope: scope! }
        : { outcome: 'paid', settle: (used) => this.settle({ id: payment_id, ...used }) },
    );
  }

  private async settle(settlement: Settlement): Promise<void> {
    await this.settlements.submit(settlement).catch((error: unknown) => {
      const reason = reasonOf(error);
      this.log.warn({ reason }, 'failed to settle a payment for probes: it counts in full for a minute');
    });
  }

  private async settleAll(settlements: readonly Settlement[]): Promise<void[]> {
    await this.pool.query({
      name: 'settle probes',
      text: 'select ops_settle_probes($1,$2,$3)',
      values: [
        int8Array(settlements.map(({ id }) => BigInt(id))),
        int4Array(settlements.map(({ probes }) => probes)),
        int8Array(settlements.map(({ bytes }) => bytes)),
      ],
    });
    return settlements.map(() => undefined);
  }
}

const UNLIMITED: ProbeVerdict = { outcome: 'paid', settle: () => Promise.resolve() };
