import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint } from '../../../commands/endpoint.js';
import { KeyClaims, type KnownKeys, type Replay } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { AppendCondition } from '../../../event-store/port.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import { type Budget, Limiter, type Verdict } from '../../../limits/limiter.js';
import { MonthlyQuota } from '../../../limits/monthly-quota.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { GATE_MESSAGES } from '../messages.js';
import { quotaRejection, rateLimitRejection, violationsRejection } from './rejections.js';
import { describeRequest } from './request-recorder.js';

/** The facts about a post that the limits depend on. */
export interface JudgedPost {
  readonly request: FastifyRequest;
  readonly keys: KnownKeys;
  /** True if only the limits can still reject the post. A post that will be rejected anyway takes no tokens (D-16). */
  readonly isAcceptable: boolean;
  /** True if one append can accept the post. */
  readonly isLight: boolean;
}

/** The verdict on a post. Only an admitted post takes tokens. */
export type PostVerdict =
  | ({ readonly outcome: 'admitted' } & Admission)
  /** Within the limits, but the post will be rejected for its content, or its media must still be probed. */
  | { readonly outcome: 'admissible' }
  /** An earlier request with one of the keys was answered (D-9). */
  | { readonly outcome: 'replay'; readonly replay: Replay }
  /** The endpoint has changed since its snapshot was taken: identify it again, then repeat the call. */
  | { readonly outcome: 'stale' }
  /** An assumption about the keys or the month was wrong: repeat the call with these keys. */
  | { readonly outcome: 'again'; readonly keys: KnownKeys };

export interface Admission {
  /** When the post took its rate-limit tokens, according to the limiter's clock; null if it took none. */
  readonly takenAt: string | null;
  /** The condition that the append of the post must verify; null if the limiter has verified it. */
  readonly condition: AppendCondition | null;
}

/** How many hex digits of a key's hash the limiter keeps: enough to tell apart all keys seen within a few seconds. */
const KEY_DIGITS = 16;

/**
 * The gate's steps 6 to 8: replays, the monthly quota and the rate limits (D-16..D-18, D-45). One limiter call decides
 * them and verifies the version of the endpoint snapshot. Without limits, the append that accepts the post verifies it.
 */
@Injectable()
export class LimitGuard {
  /**
   * True if events and endpoints are in one database. The limiter call then also reports whether a key is new, and an
   * append whether the endpoint has changed.
   */
  private readonly isOneDatabase: boolean;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly claims: KeyClaims,
    private readonly quota: MonthlyQuota,
    private readonly limiter: Limiter,
    private readonly disableEndpoint: DisableEndpoint,
  ) {
    this.isOneDatabase = settings.eventStoreUrl === null;
  }

  /**
   * Charges a request to a budget. If the endpoint has changed, charges nothing and returns false.
   * @throws GateRejection
   */
  async takeFromBudget(request: FastifyRequest, endpoint: EndpointSnapshot, budget: Budget): Promise<boolean> {
    const verdict = await this.limiter.consumeBudget(endpoint, budget);
    if (verdict.outcome === 'rejected' || verdict.outcome === 'disabled')
      return this.reject(request, endpoint, verdict);
    return verdict.outcome === 'admitted';
  }

  /**
   * Assumes that a post's keys are new if its append or the limiter would detect known keys; otherwise reads them
   * (ADR-128).
   * @param isOneAppend true if one append accepts the post: no media to probe, no parts to store
   */
  findKeys(
    { endpoint_id }: EndpointSnapshot,
    keys: readonly string[],
    isOneAppend: boolean,
  ): KnownKeys | Promise<KnownKeys> {
    return this.isOneDatabase || isOneAppend
      ? this.claims.assumeNewKeys(endpoint_id, keys)
      : this.claims.lookUpKeys(endpoint_id, keys, this.clock.now());
  }

  /**
   * Checks a post with one call to the limiter. If a post with the same key was admitted a moment ago, here or in
   * another process, takes no tokens and waits for the response to that post. @throws GateRejection
   */
  async judgePost(endpoint: EndpointSnapshot, post: JudgedPost): Promise<PostVerdict> {
    const { request, keys, isAcceptable } = post;
    if (keys.replay) return { outcome: 'replay', replay: keys.replay };
    const condition = this.findCondition(endpoint, post);
    if (condition) return { outcome: 'admitted', takenAt: null, condition };
    const cached = this.quota.findCached(endpoint);
    const month = cached === undefined ? await this.quota.loadMonth(endpoint) : cached;
    const isUnread = this.areUnread(keys);
    const verdict = await this.limiter.admitPost({
      endpoint,
      keys: keys.isAwaited ? [] : hashKeys(keys),
      newStreams: isUnread ? [] : listNewStreams(keys),
      consume: isAcceptable,
      month,
      isUnread,
    });
    switch (verdict.outcome) {
      case 'admitted':
        return { outcome: 'admitted', takenAt: verdict.at, condition: null };
      case 'stored':
      case 'unread':
        return this.readKeys(keys);
      case 'in_flight':
        return { outcome: 'again', keys: await this.claims.waitForConcurrentPost(keys, () => this.clock.now()) };
      case 'stale':
        return { outcome: 'stale' };
      case 'admissible':
        return isUnread ? this.readKeys(keys) : { outcome: 'admissible' };
      case 'quota': {
        if (isUnread) return this.readKeys(keys);
        const current = await this.quota.loadMonth(endpoint);
        if (current?.left.left === 0) throw quotaRejection(endpoint, current.left);
        return { outcome: 'again', keys };
      }
      default:
        return this.reject(request, endpoint, verdict);
    }
  }

  /** Releases the rate-limit tokens of a post that was not accepted, through no fault of its sender. Never throws. */
  async releaseTokens(
    request: FastifyRequest,
    endpoint: EndpointSnapshot,
    keys: KnownKeys,
    takenAt: string | null,
  ): Promise<void> {
    if (takenAt === null) return;
    await this.limiter.releaseTokens(endpoint, takenAt, hashKeys(keys)).catch((error: unknown) => {
      const { endpoint_id } = endpoint;
      const details = { ...describeRequest(request), endpoint_id, reason: reasonOf(error) };
      this.log.warn(details, 'failed to release rate-limit tokens of a post that was not accepted');
    });
  }

  /**
   * True if a post's keys are assumed to be new and only its append can verify that, because the events are outside the
   * database. A replay takes precedence over limits (D-7), so look up the keys before a limit rejects the request.
   */
  areUnread({ isAssumedNew, keys }: KnownKeys): boolean {
    return isAssumedNew && keys.length > 0 && !this.isOneDatabase;
  }

  /**
   * Returns the condition for a post that needs no limiter call, because no limit applies and one append accepts it;
   * null for every other post.
   */
  private findCondition(
    endpoint: EndpointSnapshot,
    { keys, isAcceptable, isLight }: JudgedPost,
  ): AppendCondition | null {
    const isWritten = endpoint.projects.length > 0 || keys.keys.length > 0;
    if (!this.isOneDatabase || !isAcceptable || !isLight || !isWritten) return null;
    const month = this.quota.findCached(endpoint);
    if (month !== null || this.limiter.isPublishingLimited({ endpoint, month })) return null;
    return { subject: endpoint.endpoint_id, version: endpoint.version };
  }

  private async readKeys({ endpointId, keys }: KnownKeys): Promise<PostVerdict> {
    return { outcome: 'again', keys: await this.claims.lookUpKeys(endpointId, keys, this.clock.now()) };
  }

  private async reject(
    request: FastifyRequest,
    endpoint: EndpointSnapshot,
    verdict: Extract<Verdict, { readonly outcome: 'rejected' | 'disabled' }>,
  ): Promise<never> {
    if (verdict.outcome === 'disabled')
      throw violationsRejection(endpoint, await this.disableForViolations(request, endpoint));
    if (verdict.disables)
      await this.disableForViolations(request, endpoint).catch((error: unknown) => {
        // The limiter remembers the violations: the next request disables the endpoint.
        const details = { ...describeRequest(request), endpoint_id: endpoint.endpoint_id, reason: reasonOf(error) };
        this.log.warn(details, 'failed to disable an endpoint after its rate-limit violations');
      });
    throw rateLimitRejection(endpoint, verdict, this.settings.limitsProfile);
  }

  /** Disables an endpoint unless it already is. Returns the id of the event that disabled it. */
  private disableForViolations(
    request: FastifyRequest,
    { endpoint_id, epoch }: EndpointSnapshot,
  ): Promise<string | null> {
    const violations = String(this.settings.limitsProfile.violationsToDisable);
    const reason = GATE_MESSAGES.violationsReason({ violations });
    return this.disableEndpoint.execute(endpoint_id, 'rate_limits', epoch, reason, request);
  }
}

const hashKeys = ({ keyIds }: KnownKeys): string[] => keyIds.map((id) => id.slice(0, KEY_DIGITS));

const listNewStreams = ({ isAssumedNew, perKey }: KnownKeys): readonly string[] =>
  isAssumedNew ? perKey.map(({ place }) => place!.stream) : [];
