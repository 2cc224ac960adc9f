import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { LimitsProfile } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { boolArray, float8Array, hexInt8Array, int4Array, int8Array, textArray } from '../postgres/binary-array.js';
import { POOL } from '../postgres/tokens.js';
import type { EndpointSnapshot } from '../projections/discovery/endpoint-snapshots.queries.js';
import { Batcher } from '../runtime/batcher.js';
import type { OwnerMonth } from './monthly-quota.js';

/** The part of an endpoint snapshot that the limits depend on. The limiter checks that `version` is current (D-7). */
export type LimitedEndpoint = Pick<EndpointSnapshot, 'endpoint_id' | 'owner_id' | 'version' | 'min_interval' | 'plan'>;

/** A request to publish, as the limiter sees it. */
export interface PostCheck {
  readonly endpoint: LimitedEndpoint;
  /** Hashes of the post's idempotency keys, at most two, each 16 hex digits (D-19). */
  readonly keys: readonly string[];
  /** Streams of these keys that are presumed empty; empty if the caller has already looked up the keys. */
  readonly newStreams: readonly string[];
  /** False if the post will be rejected for its content, and so takes no tokens (D-16). */
  readonly consume: boolean;
  /** Null if the owner's plan has no monthly quota. */
  readonly month: OwnerMonth | null;
  /** True if the post has keys whose streams are outside this database and were not read. */
  readonly isUnread?: boolean;
}

/** The limit that a request exceeds. */
export type LimitReason = 'hourly_quota' | 'min_interval' | 'burst' | Exclude<Budget, 'withdrawals'>;

/** The limiter's decision on a request. Only an `admitted` request takes tokens. */
export type Verdict =
  /** `at`: admission time by the database clock, for {@link Limiter.releaseTokens}; null if no tokens were taken. */
  | { readonly outcome: 'admitted'; readonly at: string | null }
  /** Within the limits, but `consume` was false. */
  | { readonly outcome: 'admissible' }
  /** The endpoint has changed since its snapshot was taken: load it again. */
  | { readonly outcome: 'stale' }
  /** Violations disabled the endpoint; the event may not be stored yet. */
  | { readonly outcome: 'disabled' }
  /** One of `newStreams` is not empty: look up the keys first. */
  | { readonly outcome: 'stored' }
  /** A post with one of these keys was admitted in the last few seconds. */
  | { readonly outcome: 'in_flight' }
  /** The post exceeds a limit, but its keys were not read: look them up first. Nothing was recorded. */
  | { readonly outcome: 'unread' }
  /** The owner's monthly quota is used up (D-18). */
  | { readonly outcome: 'quota' }
  | {
      readonly outcome: 'rejected';
      readonly reason: LimitReason;
      /** Whole seconds, at least 1, until no limit is exceeded. */
      readonly retryAfter: number;
      /** Violations in the sliding hour, including this request if it is one. */
      readonly violations: number;
      /** True if this violation disables the endpoint; true only once until the endpoint is enabled again. */
      readonly disables: boolean;
    };

/**
 * The limits on requests other than new posts (D-17, D-45). Take-backs (`withdrawals`) share the budget of `changes`, but
 * exceeding it is no violation then: an emergency must not disable the endpoint (D-78).
 */
export type Budget = 'changes' | 'discovery' | 'pauses' | 'replays' | 'sandbox' | 'withdrawals';

/** Checks to make before admitting a request without limits. */
type Verification = Pick<PostCheck, 'endpoint' | 'newStreams' | 'consume'>;

interface BudgetCheck {
  readonly endpoint: LimitedEndpoint;
  readonly budget: Budget;
}

interface Row {
  /**
   * Position of the request in the batch, from 1. For posts, row 0 holds the time of admission in `admitted_at` and the
   * number of evaluated requests in `violation_count`.
   */
  readonly item: number;
  readonly outcome: Verdict['outcome'];
  readonly reason: LimitReason | null;
  readonly retry_after: number | null;
  readonly violation_count: number;
  readonly disables: boolean;
  /** Posts only. */
  readonly admitted_at?: string | null;
}

/**
 * Options for {@link Batcher}, chosen by measurement: smaller batches would cost more in calls than they save in
 * waiting. The database evaluates posts one call at a time; a second concurrent call saves the round trip, because it
 * is already waiting in the database.
 */
const POST_BATCHES = { splitAbove: 48, concurrency: 2, intervalMs: 3 };
const VERIFICATION_BATCHES = { splitAbove: 32, intervalMs: 3 };
/** Maximum number of endpoints remembered as having a row in ops_limit. */
const MAX_KNOWN_ENDPOINTS = 100_000;

/**
 * Rate limits per endpoint (publish-api.md: Limits; D-15..D-18), exact across all processes: the database evaluates one
 * call at a time, using its own clock. Concurrent requests share a call; two requests to the same endpoint are
 * evaluated in order.
 * @throws the database's errors; isUnavailable recognises outages
 */
@Injectable()
export class Limiter {
  private readonly posts: Batcher<PostCheck, Verdict>;
  private readonly budgets: Batcher<BudgetCheck, Verdict>;
  private readonly verifications: Batcher<Verification, Verdict>;
  private knownEndpoints = new Set<string>();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LIMITS_PROFILE) private readonly profile: LimitsProfile,
  ) {
    const keyOf = ({ endpoint }: { readonly endpoint: LimitedEndpoint }): string => endpoint.endpoint_id;
    this.posts = new Batcher<PostCheck, Verdict>((checks) => this.decide(checks, this.admitPosts), {
      keyOf,
      ...POST_BATCHES,
    });
    this.budgets = new Batcher((checks) => this.decide(checks, this.consumeBudgets), { keyOf: payerOf });
    this.verifications = new Batcher((checks) => this.verify(checks), VERIFICATION_BATCHES);
  }

  /** Checks the monthly quota, min-interval, burst and hourly quota, and takes a post's tokens, in one atomic step. */
  admitPost(check: PostCheck): Promise<Verdict> {
    return this.arePostsLimited(check) ? this.posts.submit(check) : this.verifications.submit(check);
  }

  /** True if anything is counted for an endpoint's posts or replays. If false, callers need no verdict. */
  isPublishingLimited(check: Pick<PostCheck, 'endpoint' | 'month'>): boolean {
    return this.arePostsLimited(check) || this.profile.replaysPerMinute !== null;
  }

  /** Consumes one request from a budget. If nothing needs to be counted, only verifies the endpoint's snapshot. */
  consumeBudget(endpoint: LimitedEndpoint, budget: Budget): Promise<Verdict> {
    const check = { endpoint, budget };
    const isLimited =
      this.budgetSize(check) !== null || (isViolation(budget) && this.profile.violationsToDisable !== null);
    return isLimited
      ? this.budgets.submit(check)
      : this.verifications.submit({ endpoint, newStreams: [], consume: true });
  }

  /**
   * Gives back the tokens of a post that was admitted but, through no fault of its sender, not accepted. Requests that
   * were rejected in between stay rejected.
   * @param at time of admission, from the verdict
   * @param keys the keys that the post was admitted with
   */
  async releaseTokens({ endpoint_id }: LimitedEndpoint, at: string, keys: readonly string[]): Promise<void> {
    const text = 'select ops_release_post($1, $2, $3)';
    await this.pool.query({ name: 'release tokens', text, values: [endpoint_id, at, hexInt8Array(keys)] });
  }

  /**
   * For posts without limits: only checks that the endpoints' versions are current and that the new streams are empty,
   * without locks or writes.
   */
  private async verify(checks: readonly Verification[]): Promise<Verdict[]> {
    const { rows } = await this.pool.query<{ item: number; outcome: 'stale' | 'stored' }>({
      name: 'verify posts',
      text: 'select item, outcome from ops_verify_posts($1,$2,$3,$4)',
      values: [...newStreamColumns(checks), ...endpointColumns(checks)],
    });
    const verdicts = checks.map(({ consume }): Verdict =>
      consume ? { outcome: 'admitted', at: null } : { outcome: 'admissible' },
    );
    for (const { item, outcome } of rows) verdicts[item - 1] = { outcome };
    return verdicts;
  }

  private async decide<Check extends { readonly endpoint: LimitedEndpoint }>(
    checks: readonly Check[],
    query: (checks: readonly Check[]) => Promise<Row[]>,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    let admittedAt: string | null = null;
    for (const row of await query(checks)) {
      if (row.item > 0) verdicts[row.item - 1] = toVerdict(row);
      else if (row.violation_count === checks.length) admittedAt = row.admitted_at!;
    }
    // If all requests were evaluated, requests without a row were admitted.
    if (admittedAt !== null) for (const i of checks.keys()) verdicts[i] ??= { outcome: 'admitted', at: admittedAt };
    const missing = admittedAt === null ? checks.filter((_, i) => verdicts[i] === undefined) : [];
    if (missing.length > 0) {
      // Their rows in ops_limit are gone: the database was restored or emptied while this process was running.
      if (missing.every(({ endpoint }) => !this.knownEndpoints.has(endpoint.endpoint_id)))
        throw new Error('the limiter created no row in ops_limit for an endpoint');
      this.knownEndpoints.clear();
      const late = await this.decide(missing, query);
      missing.forEach((check, i) => (verdicts[checks.indexOf(check)] = late[i]!));
    }
    if (this.knownEndpoints.size > MAX_KNOWN_ENDPOINTS) this.knownEndpoints = new Set();
    for (const { endpoint } of checks) this.knownEndpoints.add(endpoint.endpoint_id);
    return verdicts;
  }

  private readonly admitPosts = async (checks: readonly PostCheck[]): Promise<Row[]> => {
    const limits = checks.map(({ endpoint }) => this.profile.plans[endpoint.plan]);
    const { rows } = await this.pool.query<Row>({
      name: 'admit posts',
      text: 'select * from ops_admit_new_posts($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16)',
      values: [
        ...newStreamColumns(checks),
        ...endpointColumns(checks),
        boolArray(checks.map(({ consume }) => consume)),
        hexInt8Array(checks.map(({ keys }) => keys[0] ?? null)),
        hexInt8Array(checks.map(({ keys }) => keys[1] ?? null)),
        int4Array(checks.map(({ endpoint }) => endpoint.min_interval)),
        int8Array(limits.map(({ burst }) => burst?.requests ?? null)),
        float8Array(limits.map(({ burst }) => burst?.perSeconds ?? null)),
        int8Array(limits.map(({ hourly }) => hourly)),
        textArray(checks.map(({ month }) => month?.ownerMonth ?? null)),
        int8Array(checks.map(({ month }) => month?.usedUpAt ?? null)),
        boolArray(checks.map(({ isUnread = false }) => isUnread)),
        this.profile.violationsToDisable,
        textArray(this.unknownEndpoints(checks)),
      ],
    });
    return rows;
  };

  private readonly consumeBudgets = async (checks: readonly BudgetCheck[]): Promise<Row[]> => {
    const { rows } = await this.pool.query<Row>({
      name: 'consume budgets',
      text: 'select * from ops_consume_budgets($1,$2,$3,$4,$5,$6,$7,$8,$9)',
      values: [
        ...endpointColumns(checks),
        textArray(checks.map(payerOf)),
        textArray(checks.map(({ budget }) => (budget === 'withdrawals' ? 'changes' : budget))),
        int8Array(checks.map((check) => this.budgetSize(check))),
        boolArray(checks.map(({ budget }) => budget === 'sandbox')),
        boolArray(checks.map(({ budget }) => isViolation(budget))),
        this.profile.violationsToDisable,
        textArray(this.unknownEndpoints(checks)),
      ],
    });
    return rows;
  };

  private arePostsLimited({ endpoint, month }: Pick<PostCheck, 'endpoint' | 'month'>): boolean {
    const { burst, hourly } = this.profile.plans[endpoint.plan];
    const isLimited = burst !== null || hourly !== null || endpoint.min_interval > 0 || month !== null;
    return isLimited || this.profile.violationsToDisable !== null;
  }

  private budgetSize({ endpoint, budget }: BudgetCheck): number | null {
    switch (budget) {
      case 'discovery':
        return this.profile.discoveryPerMinute;
      case 'changes':
      case 'withdrawals':
        return this.profile.changesPerMinute;
      case 'pauses':
        return this.profile.pausesPerMinute;
      case 'replays':
        return this.profile.replaysPerMinute;
      case 'sandbox':
        return this.profile.plans[endpoint.plan].sandboxDaily;
    }
  }

  /** Returns the ids of endpoints that may not have a row in ops_limit yet. */
  private unknownEndpoints(checks: readonly { readonly endpoint: LimitedEndpoint }[]): string[] {
    return checks.map(({ endpoint }) => endpoint.endpoint_id).filter((id) => !this.knownEndpoints.has(id));
  }
}

/** Returns the id that a budget is charged to: the owner's for the sandbox, otherwise the endpoint's (D-51). */
const payerOf = ({ endpoint, budget }: BudgetCheck): string =>
  budget === 'sandbox' ? endpoint.owner_id : endpoint.endpoint_id;

/** True if a rejected request counts as a violation (D-17, D-45). */
const isViolation = (budget: Budget): boolean => budget === 'changes' || budget === 'discovery' || budget === 'pauses';

const endpointColumns = (checks: readonly { readonly endpoint: LimitedEndpoint }[]): [Buffer, Buffer] => [
  textArray(checks.map(({ endpoint }) => endpoint.endpoint_id)),
  textArray(checks.map(({ endpoint }) => endpoint.version)),
];

/** Returns the new streams of all requests, and for each stream the position of its request, from 1. */
const newStreamColumns = (checks: readonly Pick<PostCheck, 'newStreams'>[]): [Buffer, Buffer] => {
  const streams: string[] = [];
  const items: number[] = [];
  checks.forEach(({ newStreams }, i) => {
    for (const stream of newStreams) {
      streams.push(stream);
      items.push(i + 1);
    }
  });
  return [textArray(streams), int4Array(items)];
};

const toVerdict = ({ outcome, reason, retry_after, violation_count, disables, admitted_at = null }: Row): Verdict => {
  if (outcome === 'admitted') return { outcome, at: admitted_at };
  if (outcome !== 'rejected') return { outcome };
  return { outcome, reason: reason!, retryAfter: retry_after!, violations: violation_count, disables };
};
