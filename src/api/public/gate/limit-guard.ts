import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DisableEndpoint } from '../../../commands/endpoint/disable-endpoint.js';
import { KeyClaims, type KeysSeen } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { type Budget, Limiter, type Verdict } from '../../../limits/limiter.js';
import { MonthlyQuota } from '../../../limits/monthly-quota.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { Entrance } from './admission.js';
import type { Refusal } from './refusal.js';
import { limitExceeded, monthUsedUp, pausedByViolations } from './refusals.js';
import type { Visit } from './gate-request.js';

/** What a request that may go on is judged by from here. */
export interface Passed {
  readonly endpoint: EndpointAccess;
  readonly seen: KeysSeen;
  /** When its share was taken, by the limiter's clock; null: nothing was. */
  readonly takenAt: string | null;
}

/** How often a request is judged anew because its endpoint, or its owner's month, changes under it. */
const MAX_ROUNDS = 10;
/** Of a key's hash; enough to tell the keys of a few seconds apart. */
const KEY_DIGITS = 16;

/**
 * Monthly quota and rate limits (D-16..D-18, D-45). The limiter's call confirms the endpoint's picture as well: where
 * that is out of date nothing is taken, and the request enters once more.
 */
@Injectable()
export class LimitGuard {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly entrance: Entrance,
    private readonly claims: KeyClaims,
    private readonly quota: MonthlyQuota,
    private readonly limiter: Limiter,
    private readonly commands: CommandBus,
  ) {}

  /** Takes one of a budget; answers the endpoint as it is. @throws Refusal */
  async take(visit: Visit, entered: EndpointAccess, budget: Budget): Promise<EndpointAccess> {
    let endpoint = entered;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const verdict = await this.limiter.budget(endpoint, budget);
      if (verdict.outcome === 'taken') return endpoint;
      endpoint = await this.again(visit, endpoint, verdict);
    }
    throw changesTooOften();
  }

  /** Whether an endpoint's posts, and their replays, pass here without being counted. */
  countsNothing(endpoint: EndpointAccess): boolean {
    const month = this.quota.known(endpoint);
    return month === null && !this.limiter.countsPublishing({ endpoint, month });
  }

  /**
   * Takes a post's share. A key that was let through a moment ago, here or in another process, is no matter for the
   * limits: its post is waited for, and answered again.
   * @param isAccepted by the endpoint's picture: whether the post will be accepted if the limits let it. What will not be
   * uses nothing up (D-16).
   * @returns where `seen` tells of a replay, nothing was taken. @throws Refusal
   */
  async takePost(
    visit: Visit,
    entered: Omit<Passed, 'takenAt'>,
    isAccepted: (endpoint: EndpointAccess) => boolean,
  ): Promise<Passed> {
    let { endpoint, seen } = entered;
    let keys = hashesOf(seen);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const known = this.quota.known(endpoint);
      const month = known === undefined ? await this.quota.fresh(endpoint) : known;
      const newStreams = newStreamsOf(seen);
      const verdict = await this.limiter.post({ endpoint, keys, newStreams, take: isAccepted(endpoint), month });
      switch (verdict.outcome) {
        case 'taken':
          return { endpoint, seen, takenAt: verdict.at };
        case 'free':
          return { endpoint, seen, takenAt: null };
        case 'known':
          seen = await this.claims.look(seen.endpointId, seen.keys, this.clock.now());
          if (seen.replay) return { endpoint, seen, takenAt: null };
          break;
        case 'in_flight':
          seen = await this.claims.lookOut(seen, () => this.clock.now());
          if (seen.replay) return { endpoint, seen, takenAt: null };
          keys = []; // its post has not come: this request is one like any other
          break;
        case 'quota': {
          const present = await this.quota.fresh(endpoint);
          if (present?.left.left === 0) throw monthUsedUp(endpoint, present.left);
          break;
        }
        default:
          endpoint = await this.again(visit, endpoint, verdict);
      }
    }
    throw changesTooOften();
  }

  /** Takes back the share of a post that was not accepted after all. Never throws. */
  async giveBack({ endpoint, seen, takenAt }: Passed): Promise<void> {
    if (takenAt === null) return;
    await this.limiter.giveBack(endpoint, takenAt, hashesOf(seen)).catch((error: unknown) => {
      this.log.warn({ endpoint_id: endpoint.endpoint_id, error: String(error) }, 'could not give a share back');
    });
  }

  /** The endpoint as it is now, where it has changed. @throws Refusal where the limits refuse */
  private async again(visit: Visit, endpoint: EndpointAccess, verdict: Verdict): Promise<EndpointAccess> {
    if (verdict.outcome === 'disabled') throw pausedByViolations(endpoint, await this.disable(visit, endpoint));
    if (verdict.outcome === 'refused') throw await this.refused(visit, endpoint, verdict);
    return this.entrance.enterAfresh(visit);
  }

  private async refused(
    visit: Visit,
    endpoint: EndpointAccess,
    verdict: Extract<Verdict, { readonly outcome: 'refused' }>,
  ): Promise<Refusal> {
    if (verdict.disables)
      await this.disable(visit, endpoint).catch((error: unknown) => {
        // The limiter remembers, and the next request repeats it.
        this.log.warn({ endpoint_id: endpoint.endpoint_id, error: String(error) }, 'could not switch an endpoint off');
      });
    return limitExceeded(endpoint, verdict, this.settings.limitsProfile);
  }

  /** Does so once for each time that the endpoint was switched on; answers the event's id. */
  private disable({ request }: Visit, { endpoint_id, epoch }: EndpointAccess): Promise<string | null> {
    const reason = `${this.settings.limitsProfile.violationsToDisable} rate-limit violations within an hour`;
    return this.commands.execute(new DisableEndpoint(endpoint_id, 'rate_limits', epoch, reason, request.id));
  }
}

const hashesOf = ({ keyIds }: KeysSeen): string[] => keyIds.map((id) => id.slice(0, KEY_DIGITS));

const newStreamsOf = ({ isPresumed, inHand }: KeysSeen): readonly string[] =>
  isPresumed ? inHand.map(({ place }) => place!.stream) : [];

const changesTooOften = (): HttpProblem =>
  HttpProblem.of(503, 'unavailable', 'The endpoint is being changed. Send the same request again.', {
    'retry-after': '1',
  });
