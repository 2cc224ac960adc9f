import type { Pool } from 'pg';
import type { LimitsProfile } from '../config/limits-profile.js';
import { Batcher } from '../runtime/batcher.js';
import { boolArray, float8Array, hexInt8Array, int4Array, int8Array, textArray } from '../postgres/binary-array.js';
import type { EndpointAccess } from '../projections/discovery/endpoint-access.queries.js';
import type { OwnerMonth } from './monthly-quota.js';

/** What of an endpoint limits are judged by; `version` has to be the present one (D-7: by what is true now). */
export type LimitedEndpoint = Pick<EndpointAccess, 'endpoint_id' | 'version' | 'min_interval' | 'plan'>;

/** A request to publish. */
export interface PostAsk {
  readonly endpoint: LimitedEndpoint;
  /** Hashes of its idempotency keys, at most two, each 16 hex digits (D-19). */
  readonly keys: readonly string[];
  /** Streams of these keys that nothing is taken to stand in; empty where that is known already. */
  readonly newStreams: readonly string[];
  /** False: the post will be refused for its content, so that nothing is to be used up (D-16). */
  readonly take: boolean;
  /** Null: the owner's plan has no monthly quota. */
  readonly month: OwnerMonth | null;
}

/** What a limit is exceeded by. */
export type LimitReason = 'hourly_quota' | 'min_interval' | 'burst' | Budget;

/** What the limits say; what was not `taken` has used nothing up. */
export type Verdict =
  /** `at` is what {@link Limiter.giveBack} wants, by the database's clock; null: nothing was used up. */
  | { readonly outcome: 'taken'; readonly at: string | null }
  /** `free`: would have been taken, but `take` was false. `stale`: the endpoint has changed, look again. */
  | { readonly outcome: 'free' | 'stale' }
  /** Switched off by violations, whether or not an event says so yet. */
  | { readonly outcome: 'disabled' }
  /** Something stands in one of `newStreams`: look there first. */
  | { readonly outcome: 'known' }
  /** A post with one of these keys was let through within the last seconds. */
  | { readonly outcome: 'in_flight' }
  /** The owner's month is used up (D-18). */
  | { readonly outcome: 'quota' }
  | {
      readonly outcome: 'refused';
      readonly reason: LimitReason;
      /** Whole seconds, at least 1; a request after them meets no limit of this time. */
      readonly retryAfter: number;
      /** Violations in the sliding hour, this one among them where it is one. */
      readonly violations: number;
      /** This is the violation that switches the endpoint off; said once until it is enabled again. */
      readonly disables: boolean;
    };

/** What is limited beside publishing (D-17, D-45). */
export type Budget = 'discovery' | 'pauses' | 'replays' | 'sandbox';

/** What has to be as it is for an unlimited request to pass. */
type Confirmation = Pick<PostAsk, 'endpoint' | 'newStreams' | 'take'>;

interface BudgetAsk {
  readonly endpoint: LimitedEndpoint;
  readonly budget: Budget;
}

interface Row {
  /** From 1. Row 0, of posts alone, tells the time, and in `violation_count` how many were judged. */
  readonly place: number;
  readonly outcome: Verdict['outcome'];
  readonly reason: LimitReason | null;
  readonly retry_after: number | null;
  readonly violation_count: number;
  readonly disables: boolean;
  /** Of posts alone. */
  readonly taken_at?: string | null;
}

/**
 * {@link Batcher}: by trial, the smallest batches whose calls do not cost more than the waiting that they save. Posts are
 * judged one call at a time; that the next one waits at the database already saves the way there.
 */
const JUDGING = { wave: 48, lanes: 2, spacing: 3 };
const CONFIRMING = { wave: 32, spacing: 3 };
/** Endpoints remembered as having a row of their own. */
const MAX_SEEN = 100_000;

/**
 * Rate limits per endpoint (publish-api.md: Limits; D-15..D-18), exact over all processes: the database judges, by its clock,
 * one call at a time. Concurrent requests share one call; two to the same endpoint are judged in order.
 * @throws whatever the database does; isUnavailable tells an outage.
 */
export class Limiter {
  private readonly posts: Batcher<PostAsk, Verdict>;
  private readonly budgets: Batcher<BudgetAsk, Verdict>;
  private readonly confirmations: Batcher<Confirmation, Verdict>;
  private seen = new Set<string>();

  constructor(
    private readonly pool: Pool,
    private readonly profile: LimitsProfile,
  ) {
    const keyOf = ({ endpoint }: { readonly endpoint: LimitedEndpoint }): string => endpoint.endpoint_id;
    this.posts = new Batcher((asks: readonly PostAsk[]) => this.judge(asks, this.takePosts), {
      keyOf,
      ...JUDGING,
    });
    this.budgets = new Batcher((asks: readonly BudgetAsk[]) => this.judge(asks, this.takeBudgets), { keyOf });
    this.confirmations = new Batcher((asks) => this.confirm(asks), CONFIRMING);
  }

  /** Monthly quota, min-interval, burst and hourly quota in one atomic step. */
  post(ask: PostAsk): Promise<Verdict> {
    return this.countsPosts(ask) ? this.posts.call(ask) : this.confirmations.call(ask);
  }

  /** Whether anything of an endpoint is counted when it publishes, new or again; if not, nobody has to ask for a verdict. */
  countsPublishing(ask: Pick<PostAsk, 'endpoint' | 'month'>): boolean {
    return this.countsPosts(ask) || this.profile.replaysPerMinute !== null;
  }

  budget(endpoint: LimitedEndpoint, budget: Budget): Promise<Verdict> {
    const ask = { endpoint, budget };
    const isLimited = this.sizeOf(ask) !== null || (isViolation(budget) && this.profile.violationsToDisable !== null);
    return isLimited ? this.budgets.call(ask) : this.confirmations.call({ endpoint, newStreams: [], take: true });
  }

  /**
   * Takes back a post's share: it was not accepted after all, through no fault of its sender. A refusal that others got
   * meanwhile stands. @param at as the verdict has it @param keys as they were asked with
   */
  async giveBack({ endpoint_id }: LimitedEndpoint, at: string, keys: readonly string[]): Promise<void> {
    const text = 'select ops_give_back($1, $2, $3)';
    await this.pool.query({ name: 'give back', text, values: [endpoint_id, at, hexInt8Array(keys)] });
  }

  /** Where nothing is limited there is nothing to lock or to write: what a post was let in by is confirmed, no more. */
  private async confirm(asks: readonly Confirmation[]): Promise<Verdict[]> {
    const { rows } = await this.pool.query<{ place: number; outcome: 'stale' | 'known' }>({
      name: 'confirm posts',
      text: 'select place, outcome from ops_confirm_posts($1,$2,$3,$4)',
      values: [...newStreamsOf(asks), ...this.endpointsOf(asks)],
    });
    const verdicts = asks.map(({ take }): Verdict => (take ? { outcome: 'taken', at: null } : { outcome: 'free' }));
    for (const { place, outcome } of rows) verdicts[place - 1] = { outcome };
    return verdicts;
  }

  private async judge<Ask extends { readonly endpoint: LimitedEndpoint }>(
    asks: readonly Ask[],
    take: (asks: readonly Ask[]) => Promise<Row[]>,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    let takenAt: string | null = null;
    for (const row of await take(asks)) {
      if (row.place > 0) verdicts[row.place - 1] = verdictOf(row);
      else if (row.violation_count === asks.length) takenAt = row.taken_at!;
    }
    // Where all were judged, those of whom nothing was said were taken.
    if (takenAt !== null) for (const i of asks.keys()) verdicts[i] ??= { outcome: 'taken', at: takenAt };
    const missing = takenAt === null ? asks.filter((_, i) => verdicts[i] === undefined) : [];
    if (missing.length > 0) {
      // Rows of another database, as it seems: it was restored or emptied under us.
      if (missing.every(({ endpoint }) => !this.seen.has(endpoint.endpoint_id))) throw new Error('no row was made');
      this.seen.clear();
      const late = await this.judge(missing, take);
      missing.forEach((ask, i) => (verdicts[asks.indexOf(ask)] = late[i]!));
    }
    if (this.seen.size > MAX_SEEN) this.seen = new Set();
    for (const { endpoint } of asks) this.seen.add(endpoint.endpoint_id);
    return verdicts;
  }

  private readonly takePosts = async (asks: readonly PostAsk[]): Promise<Row[]> => {
    const limits = asks.map(({ endpoint }) => this.profile.plans[endpoint.plan]);
    const { rows } = await this.pool.query<Row>({
      name: 'take posts',
      text: 'select * from ops_take_new_posts($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)',
      values: [
        ...newStreamsOf(asks),
        ...this.endpointsOf(asks),
        boolArray(asks.map(({ take }) => take)),
        hexInt8Array(asks.map(({ keys }) => keys[0] ?? null)),
        hexInt8Array(asks.map(({ keys }) => keys[1] ?? null)),
        int4Array(asks.map(({ endpoint }) => endpoint.min_interval)),
        int8Array(limits.map(({ burst }) => burst?.requests ?? null)),
        float8Array(limits.map(({ burst }) => burst?.perSeconds ?? null)),
        int8Array(limits.map(({ hourly }) => hourly)),
        textArray(asks.map(({ month }) => month?.ownerMonth ?? null)),
        int8Array(asks.map(({ month }) => month?.usedUpAt ?? null)),
        this.profile.violationsToDisable,
        textArray(this.unseen(asks)),
      ],
    });
    return rows;
  };

  private readonly takeBudgets = async (asks: readonly BudgetAsk[]): Promise<Row[]> => {
    const { rows } = await this.pool.query<Row>({
      name: 'take budgets',
      text: 'select * from ops_take_budgets($1,$2,$3,$4,$5,$6,$7,$8)',
      values: [
        ...this.endpointsOf(asks),
        textArray(asks.map(({ budget }) => budget)),
        int8Array(asks.map((ask) => this.sizeOf(ask))),
        boolArray(asks.map(({ budget }) => budget === 'sandbox')),
        boolArray(asks.map(({ budget }) => isViolation(budget))),
        this.profile.violationsToDisable,
        textArray(this.unseen(asks)),
      ],
    });
    return rows;
  };

  private countsPosts({ endpoint, month }: Pick<PostAsk, 'endpoint' | 'month'>): boolean {
    const { burst, hourly } = this.profile.plans[endpoint.plan];
    const isLimited = burst !== null || hourly !== null || endpoint.min_interval > 0 || month !== null;
    return isLimited || this.profile.violationsToDisable !== null;
  }

  private sizeOf({ endpoint, budget }: BudgetAsk): number | null {
    switch (budget) {
      case 'discovery':
        return this.profile.discoveryPerMinute;
      case 'pauses':
        return this.profile.pausesPerMinute;
      case 'replays':
        return this.profile.replaysPerMinute;
      case 'sandbox':
        return this.profile.plans[endpoint.plan].sandboxDaily;
    }
  }

  private endpointsOf(asks: readonly { readonly endpoint: LimitedEndpoint }[]): [Buffer, Buffer] {
    const ids = asks.map(({ endpoint }) => endpoint.endpoint_id);
    return [textArray(ids), textArray(asks.map(({ endpoint }) => endpoint.version))];
  }

  private unseen(asks: readonly { readonly endpoint: LimitedEndpoint }[]): string[] {
    return asks.map(({ endpoint }) => endpoint.endpoint_id).filter((id) => !this.seen.has(id));
  }
}

/** D-17, D-45: whether being refused counts to the five. */
const isViolation = (budget: Budget): boolean => budget === 'discovery' || budget === 'pauses';

/** The streams of all asks, and with each the place of its ask, from 1. */
const newStreamsOf = (asks: readonly Pick<PostAsk, 'newStreams'>[]): [Buffer, Buffer] => {
  const streams: string[] = [];
  const places: number[] = [];
  asks.forEach(({ newStreams }, i) => {
    for (const stream of newStreams) {
      streams.push(stream);
      places.push(i + 1);
    }
  });
  return [textArray(streams), int4Array(places)];
};

const verdictOf = ({ outcome, reason, retry_after, violation_count, disables, taken_at = null }: Row): Verdict => {
  if (outcome === 'taken') return { outcome, at: taken_at };
  if (outcome !== 'refused') return { outcome };
  return { outcome, reason: reason!, retryAfter: retry_after!, violations: violation_count, disables };
};
