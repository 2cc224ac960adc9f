import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Pool } from 'pg';
import type { LimitsProfile } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { LOG, type Log, silentLog } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { int4Array, int8Array, textArray } from '../postgres/binary-array.js';
import { POOL } from '../postgres/tokens.js';
import { Batcher } from '../runtime/batcher.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { yieldToEventLoop } from '../runtime/cooperative-work.js';
import { KeyedPace } from '../runtime/pace.js';

/** Number of changes that an owner may make at once. Further changes follow at the budget's own rate. */
const CHANGE_BURST = 5;
const MINUTE_MS = 60_000;

interface ChangeRow {
  readonly item: number;
  readonly admitted: number;
  readonly retry_after: number | null;
}

/**
 * Limits the changes that owners make through the management API in a sliding minute, exactly across all processes
 * (D-83). Each process also spaces an owner's changes, so that a whole budget at once does not delay other owners
 * (ADR-257). Concurrent requests share a call of the database.
 */
@Injectable()
export class ChangeBudget {
  /** Changes per minute and owner; null if unlimited. */
  private readonly size: number | null;
  private readonly spending = new Batcher<string, number | null>((owners) => this.spendAll(owners));
  private readonly pace: KeyedPace;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.size = profile.managementChangesPerMinute;
    this.pace = new KeyedPace(MINUTE_MS / (this.size ?? Infinity), CHANGE_BURST);
  }

  /**
   * Takes a change from an owner's budget, and waits until it is the owner's turn.
   * @returns null if the change may be made; otherwise whole seconds, at least 1, until another one may be made
   * @throws Overloaded, and the database's errors
   */
  async take(ownerId: string): Promise<number | null> {
    if (this.size === null) return null;
    const retryAfter = await this.spending.submit(ownerId);
    if (retryAfter === null) await this.pace.wait(ownerId);
    return retryAfter;
  }

  private async spendAll(owners: readonly string[]): Promise<(number | null)[]> {
    const counts = new Map<string, number>();
    for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const ids = [...counts.keys()];
    const { rows } = await this.pool.query<ChangeRow>({
      name: 'spend changes',
      text: 'select item, admitted, retry_after from ops_spend_changes($1, $2, $3)',
      values: [textArray(ids), int4Array([...counts.values()]), this.size],
    });
    const results = new Map(rows.map(({ item, admitted, retry_after }) => [ids[item - 1]!, { admitted, retry_after }]));
    const used = new Map<string, number>();
    return owners.map((owner) => {
      const result = results.get(owner);
      const number = (used.get(owner) ?? 0) + 1;
      used.set(owner, number);
      return result && number > result.admitted ? result.retry_after : null;
    });
  }
}

interface Account {
  /** Computing time left, in ms; negative if the last task overran the budget. */
  readonly leftMs: number;
  /** `performance.now()` timestamp at which `leftMs` was computed, in ms. */
  readonly at: number;
}

/** Fraction of the per-minute budget that may be spent in one burst. */
const PREVIEW_BURST = 1 / 4;
const MOST_ACCOUNTS = 10_000;
/** Work that takes at least this long, in ms, is followed by a pause. */
const REST_FROM_MS = 10;

/**
 * Limits the computing time of each owner's previews (ADR-209). Each process has its own budget, because previews run
 * on the thread that serves requests (only slow patterns run in a helper process). The budget refills steadily, up to a
 * quarter of a minute's amount, and each preview is charged for the time it took. After work that blocked the thread,
 * no preview runs for the same length of time, so that the thread can serve other requests.
 */
@Injectable()
export class PreviewBudget {
  private readonly accounts = new BoundedCache<Account>(MOST_ACCOUNTS);
  private readonly perMinute: number | null;
  /** `performance.now()` timestamp before which no other work may run, in ms. */
  private restsUntil = 0;

  constructor(
    @Inject(LIMITS_PROFILE) { previewMsPerMinute }: Pick<LimitsProfile, 'previewMsPerMinute'>,
    @Optional() private readonly now: () => number = () => performance.now(),
    @Optional() private readonly rest: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.perMinute = previewMsPerMinute;
  }

  /**
   * Runs `work` and charges the owner for the time until it returns or first awaits.
   * @param reject returns the error to throw if nothing is left; receives the whole seconds until a full burst is
   * available again
   */
  async spend<T>(ownerId: string, reject: (retryAfter: number) => Error, work: () => T | Promise<T>): Promise<T> {
    await yieldToEventLoop();
    if (this.perMinute === null) return work();
    this.requireTime(ownerId, this.perMinute, reject);
    // If several calls are waiting for the same moment, the first one to run makes the others wait longer.
    while (this.restsUntil > this.now()) await this.rest(this.restsUntil - this.now());
    const leftMs = this.requireTime(ownerId, this.perMinute, reject);
    const startedAt = this.now();
    try {
      return work();
    } finally {
      const at = this.now();
      const took = at - startedAt;
      this.accounts.set(ownerId, { leftMs: leftMs - took, at });
      if (took > REST_FROM_MS) this.restsUntil = at + took;
    }
  }

  /** Charges an owner for work done by another process. @param work returns its result and how long it took */
  async spendElsewhere<T extends { readonly tookMs: number }>(
    ownerId: string,
    reject: (retryAfter: number) => Error,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.perMinute === null) return work();
    this.requireTime(ownerId, this.perMinute, reject);
    const done = await work();
    const at = this.now();
    this.accounts.set(ownerId, { leftMs: this.refill(ownerId, this.perMinute, at) - done.tookMs, at });
    return done;
  }

  /** Returns an owner's time left, above 0. @throws the error from `reject` if nothing is left */
  private requireTime(ownerId: string, perMinute: number, reject: (retryAfter: number) => Error): number {
    const leftMs = this.refill(ownerId, perMinute, this.now());
    if (leftMs > 0) return leftMs;
    throw reject(Math.ceil((((perMinute * PREVIEW_BURST - leftMs) / perMinute) * MINUTE_MS) / 1_000));
  }

  private refill(ownerId: string, perMinute: number, at: number): number {
    const most = perMinute * PREVIEW_BURST;
    const account = this.accounts.get(ownerId);
    return account ? Math.min(most, account.leftMs + ((at - account.at) * perMinute) / MINUTE_MS) : most;
  }
}

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

interface ProbeRow {
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
    const { rows } = await this.pool.query<ProbeRow>({
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
