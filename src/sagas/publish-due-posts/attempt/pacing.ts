import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Pace, SendContext, Step } from '../../../platforms/publisher.js';
import { Batcher } from '../../../runtime/batcher.js';
import type { PlatformConcurrency } from '../claiming/platform-concurrency.js';
import type { PublicationAttempt } from './publication-attempt.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';

/** Rate limits of one chat or account, under a key that all workers share. */
interface Budget {
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
}

/** Turns that the database has given to one request. */
interface Turns {
  /** Number of budgets, from the first, that have given a turn. */
  readonly count: number;
  /** Time in ms until the last of these turns; 0: it is now. */
  readonly waitMs: number;
}

/**
 * Paces the gateway's calls to the networks, so that their 429s stay rare: a sliding window for each chat and each account,
 * shared by all channels and workers (`ops_reserve_slots`). A call reserves its turn once and then waits for it, so that
 * calls go in the order of arrival. While a call waits for one budget it holds no turn of the next.
 */
export class Pacing {
  private readonly reservations: Batcher<readonly Budget[], Turns>;

  /** @param enabled setting PACING */
  constructor(
    pool: Pool,
    private readonly concurrency: PlatformConcurrency,
    readonly enabled: boolean,
  ) {
    this.reservations = new Batcher((requests: readonly (readonly Budget[])[]) => reserveTurns(pool, requests), {
      maxBatchSize: 100,
    });
  }

  /**
   * Waits until a call may be made, or until the drain signal. Only a call that readers see counts towards its chat.
   * @returns true if there was a wait: what was known before it may have changed
   */
  async waitForTurn(
    { publisher, target, signals }: PublicationAttempt,
    step: Pick<Step, 'visible'>,
    credentials: SendContext['credentials'],
  ): Promise<boolean> {
    if (!this.enabled) return false;
    const { platform, pace } = publisher;
    const account = createHash('sha256')
      .update(publisher.credentialFor(credentials, step.visible) ?? '')
      .digest('hex');
    let budgets = [budgetOf(`account/${platform}/${account}`, pace.perCredential)];
    if (step.visible) {
      const chat = Object.entries(target.address).sort(([a], [b]) => (a < b ? -1 : 1));
      budgets.unshift(budgetOf(`chat/${platform}/${JSON.stringify(chat)}`, pace.perChannel));
    }
    let hasWaited = false;
    while (budgets.length > 0 && !signals.drain.aborted) {
      const { count, waitMs } = await this.reservations.submit(budgets);
      budgets = budgets.slice(count);
      if (waitMs === 0) continue;
      hasWaited = true;
      await this.concurrency.releaseWhile(platform, sleepUnlessAborted(waitMs, signals.drain));
    }
    return hasWaited;
  }
}

const budgetOf = (key: string, pace: readonly Pace[]): Budget => ({
  key,
  limits: pace.map(({ calls, perMs }) => [calls, perMs] as const),
});

const reserveTurns = async (pool: Pool, requests: readonly (readonly Budget[])[]): Promise<Turns[]> => {
  const { rows } = await pool.query<{ request: number; wait_ms: number }>({
    name: 'reserve turns',
    text: 'select request, wait_ms from ops_reserve_slots($1)',
    values: [JSON.stringify(requests.flatMap((budgets, request) => budgets.map((one) => ({ request, ...one }))))],
  });
  const turns = requests.map(() => ({ count: 0, waitMs: 0 }));
  for (const { request, wait_ms } of rows) {
    turns[request]!.count += 1;
    turns[request]!.waitMs = wait_ms; // only the last turn is in the future
  }
  return turns;
};
