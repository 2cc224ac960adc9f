import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { Pace, SendContext, Step } from '../../../platforms/publisher.js';
import { accountBudget, type CallBudget, CallTurns, chatBudget } from '../../../postgres/call-turns.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { PublicationAttempt } from './publication-attempt.js';

type PacedAttempt = Pick<PublicationAttempt, 'publisher' | 'target' | 'ownerId' | 'signals' | 'endStart'>;

/**
 * Paces calls to the networks to keep their 429s rare, with a sliding window for each account and each chat of an
 * owner, shared by all workers (`ops_reserve_slots`). A call reserves its turn once and then waits for it, so calls are
 * made in order of arrival. While a call waits for one budget, it holds no turn in the next.
 */
@Injectable()
export class Pacing {
  /** The PACING setting. */
  readonly enabled: boolean;

  constructor(
    private readonly turns: CallTurns,
    private readonly concurrency: GroupConcurrency,
    @Inject(SETTINGS) { pacing }: Settings,
  ) {
    this.enabled = pacing;
  }

  /**
   * Waits until a call may be made, or until the drain signal. Only a visible call counts towards its chat.
   * @param queued id of the publication if it stays queued, so that the API can show its turn
   * @returns true if it waited, so data read earlier may be stale
   */
  async waitForTurn(
    { publisher, target, ownerId, signals, endStart }: PacedAttempt,
    step: Pick<Step, 'visible'>,
    credentials: SendContext['credentials'],
    queued?: string,
  ): Promise<boolean> {
    if (!this.enabled) return false;
    const { platform, pace } = publisher;
    const caller = { platform, ownerId, credential: publisher.credentialFor(credentials, step.visible) };
    let budgets = [accountBudget(caller, limitsOf(pace.perCredential))];
    if (step.visible) budgets.unshift(chatBudget(caller, target.address, limitsOf(pace.perChannel)));
    let hasWaited = false;
    while (budgets.length > 0 && !signals.drain.aborted) {
      const { count, waitMs } = await this.turns.reserve(budgets, queued);
      budgets = budgets.slice(count);
      if (waitMs === 0) continue;
      hasWaited = true;
      endStart();
      const place = { group: platform, owner: ownerId };
      await this.concurrency.releaseWhile(place, sleepUnlessAborted(waitMs, signals.drain), signals.drain);
    }
    return hasWaited;
  }
}

const limitsOf = (pace: readonly Pace[]): CallBudget['limits'] =>
  pace.map(({ calls, perMs }) => [calls, perMs] as const);
