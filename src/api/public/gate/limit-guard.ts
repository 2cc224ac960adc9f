import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { KeyClaims, type KnownKeys } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { type Budget, Limiter, type Verdict } from '../../../limits/limiter.js';
import { MonthlyQuota } from '../../../limits/monthly-quota.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { GateRejection } from './gate-rejection.js';
import { quotaRejection, rateLimitRejection } from './rejections.js';
import { describeRequest } from './request-log-entry.js';

/** Limits that passed. Where `knownKeys` holds a replay, no tokens were taken. */
export interface PassedLimits {
  readonly outcome: 'passed';
  readonly endpoint: EndpointSnapshot;
  readonly knownKeys: KnownKeys;
  /** The time at which the post took its rate-limit tokens, by the limiter's clock; null: it took none. */
  readonly takenAt: string | null;
}

/** Limits that did not pass. No tokens were taken. */
export type FailedLimits =
  /** The endpoint has changed since its snapshot was taken: admit the request again, then ask again. */
  | { readonly outcome: 'stale' }
  /** The endpoint, or its owner's month, changed at each of {@link MAX_LIMITER_CALLS} calls. */
  | { readonly outcome: 'unstable' }
  /** Violations disabled the endpoint. The event of it may not be stored yet. */
  | { readonly outcome: 'disabled' }
  /** `disables`: this is the violation that disables the endpoint. */
  | { readonly outcome: 'rejected'; readonly rejection: GateRejection; readonly disables: boolean };

/** The verdict on a post. A failed one carries what the next call needs. */
export type PostVerdict =
  | PassedLimits
  | (FailedLimits & {
      readonly endpoint: EndpointSnapshot;
      readonly knownKeys: KnownKeys;
      readonly keys: readonly string[];
      readonly attempts: number;
    });

/** The number of limiter calls for one request, in case its endpoint or its owner's month keeps changing. */
export const MAX_LIMITER_CALLS = 10;
/** Hex digits of a key's hash that the limiter keeps: enough to distinguish the keys of a few seconds. */
const KEY_DIGITS = 16;

/**
 * Judges requests by the monthly quota and the rate limits (D-16..D-18, D-45). It returns verdicts; the gate acts on them.
 * The limiter call also verifies the version of the endpoint snapshot.
 */
@Injectable()
export class LimitGuard {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly claims: KeyClaims,
    private readonly quota: MonthlyQuota,
    private readonly limiter: Limiter,
  ) {}

  /** Takes one request from a budget. */
  async judgeBudget(endpoint: EndpointSnapshot, budget: Budget): Promise<Pick<PassedLimits, 'outcome'> | FailedLimits> {
    const verdict = await this.limiter.consumeBudget(endpoint, budget);
    return verdict.outcome === 'admitted' ? { outcome: 'passed' } : this.failed(endpoint, verdict);
  }

  /** True if nothing is counted for an endpoint's posts and their replays. */
  isUnlimited(endpoint: EndpointSnapshot): boolean {
    const month = this.quota.findCached(endpoint);
    return month === null && !this.limiter.isPublishingLimited({ endpoint, month });
  }

  /**
   * Takes a post's rate-limit tokens. A post whose key was admitted a moment ago, here or in another process, takes none:
   * the other post's answer is awaited and repeated.
   * @param isAccepted true if the post will be accepted for this endpoint snapshot, provided that the limits pass. A post
   * that will be rejected takes no tokens (D-16).
   * @param hashes hashes of the keys that the limiter compares
   * @param attempts limiter calls that were made before
   */
  async judgePost(
    endpoint: EndpointSnapshot,
    looked: KnownKeys,
    isAccepted: (endpoint: EndpointSnapshot) => boolean,
    hashes: readonly string[] = hashKeys(looked),
    attempts = 0,
  ): Promise<PostVerdict> {
    let knownKeys = looked;
    let keys = hashes;
    for (let attempt = attempts; attempt < MAX_LIMITER_CALLS; attempt++) {
      const cached = this.quota.findCached(endpoint);
      const month = cached === undefined ? await this.quota.loadMonth(endpoint) : cached;
      const isUnread = this.areUnread(knownKeys);
      const verdict = await this.limiter.admitPost({
        endpoint,
        keys,
        newStreams: isUnread ? [] : listNewStreams(knownKeys),
        consume: isAccepted(endpoint),
        month,
        isUnread,
      });
      switch (verdict.outcome) {
        case 'admitted':
          return { outcome: 'passed', endpoint, knownKeys, takenAt: verdict.at };
        case 'admissible':
          return { outcome: 'passed', endpoint, knownKeys, takenAt: null };
        case 'stored':
        case 'unread':
          knownKeys = await this.claims.lookUpKeys(knownKeys.endpointId, knownKeys.keys, this.clock.now());
          if (knownKeys.replay) return { outcome: 'passed', endpoint, knownKeys, takenAt: null };
          break;
        case 'in_flight':
          knownKeys = await this.claims.waitForConcurrentPost(knownKeys, () => this.clock.now());
          if (knownKeys.replay) return { outcome: 'passed', endpoint, knownKeys, takenAt: null };
          keys = []; // the other post was not stored: judge this request like any other
          break;
        case 'quota': {
          if (isUnread) {
            knownKeys = await this.claims.lookUpKeys(knownKeys.endpointId, knownKeys.keys, this.clock.now());
            if (knownKeys.replay) return { outcome: 'passed', endpoint, knownKeys, takenAt: null };
          }
          const current = await this.quota.loadMonth(endpoint);
          if (current?.left.left !== 0) break;
          const rejection = quotaRejection(endpoint, current.left);
          return { outcome: 'rejected', rejection, disables: false, endpoint, knownKeys, keys, attempts: attempt + 1 };
        }
        default:
          return { ...this.failed(endpoint, verdict), endpoint, knownKeys, keys, attempts: attempt + 1 };
      }
    }
    return { outcome: 'unstable', endpoint, knownKeys, keys, attempts: MAX_LIMITER_CALLS };
  }

  /** Releases the rate-limit tokens of a post that was not accepted. Never throws. @param request for the log */
  async releaseTokens(
    { endpoint, knownKeys, takenAt }: Omit<PassedLimits, 'outcome'>,
    request: FastifyRequest,
  ): Promise<void> {
    if (takenAt === null) return;
    await this.limiter.releaseTokens(endpoint, takenAt, hashKeys(knownKeys)).catch((error: unknown) => {
      const { endpoint_id } = endpoint;
      const details = { ...describeRequest(request), endpoint_id, error: String(error) };
      this.log.warn(details, 'failed to release rate-limit tokens of a post that was not accepted');
    });
  }

  /**
   * True if a post's keys are assumed to be new, and only its append can tell: the events lie outside the database. An
   * earlier answer takes precedence over limits (D-7), so a limit that fails is decided after a look at the keys.
   */
  areUnread({ isAssumedNew, keys }: KnownKeys): boolean {
    return isAssumedNew && keys.length > 0 && this.settings.eventStoreUrl !== null;
  }

  private failed(endpoint: EndpointSnapshot, verdict: Verdict): FailedLimits {
    if (verdict.outcome === 'disabled') return { outcome: 'disabled' };
    if (verdict.outcome !== 'rejected') return { outcome: 'stale' };
    const rejection = rateLimitRejection(endpoint, verdict, this.settings.limitsProfile);
    return { outcome: 'rejected', rejection, disables: verdict.disables };
  }
}

const hashKeys = ({ keyIds }: KnownKeys): string[] => keyIds.map((id) => id.slice(0, KEY_DIGITS));

const listNewStreams = ({ isAssumedNew, perKey }: KnownKeys): readonly string[] =>
  isAssumedNew ? perKey.map(({ place }) => place!.stream) : [];
