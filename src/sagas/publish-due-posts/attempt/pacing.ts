import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Pace, Step } from '../../../platforms/publisher.js';
import { Batcher } from '../../../runtime/batcher.js';
import type { Rooms } from '../claiming/platform-concurrency.js';
import type { Work } from './publication-attempt.js';

/** So many calls in so much time, under a name that all workers know it by. */
interface Budget {
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
}

interface Turns {
  /** How many of the budgets have given a turn. */
  readonly taken: number;
  /** Until the last of these turns, ms; 0: it is now. */
  readonly waitMs: number;
}

/**
 * Keeps our own pace towards the networks, so that their 429s stay rare: a sliding window for each chat and each account,
 * whichever channels and workers use it (`ops_take_turns`). A turn is taken once and then waited for, so that who comes
 * first goes first; a budget that is waited for holds no turn of the next one meanwhile.
 */
export class Pacing {
  private readonly asks: Batcher<readonly Budget[], Turns>;

  /** @param enabled setting PACING */
  constructor(
    pool: Pool,
    private readonly rooms: Rooms,
    readonly enabled: boolean,
  ) {
    this.asks = new Batcher((asks: readonly (readonly Budget[])[]) => takeTurns(pool, asks), { max: 100 });
  }

  /**
   * Waits until a step may go, or the signal; only what readers see counts for its chat.
   * @returns whether there was a wait: what was known before it may have changed
   */
  async turn(work: Work, step: Pick<Step, 'visible'>, credentials: Readonly<Record<string, string>>): Promise<boolean> {
    if (!this.enabled) return false;
    const { publisher, target, ending } = work;
    const { platform, pace } = publisher;
    const account = createHash('sha256')
      .update(publisher.accountOf(credentials, step.visible) ?? '')
      .digest('hex');
    let budgets = [budget(`account/${platform}/${account}`, pace.perCredential)];
    if (step.visible) {
      const chat = Object.entries(target.address).sort(([a], [b]) => (a < b ? -1 : 1));
      budgets.unshift(budget(`chat/${platform}/${JSON.stringify(chat)}`, pace.perChannel));
    }
    let waited = false;
    while (budgets.length > 0 && !ending.stop.aborted) {
      const { taken, waitMs } = await this.asks.call(budgets);
      budgets = budgets.slice(taken);
      if (waitMs === 0) continue;
      waited = true;
      const wait = sleep(waitMs, undefined, { signal: ending.stop }).catch(() => undefined);
      await this.rooms.outside(platform, wait);
    }
    return waited;
  }
}

const budget = (key: string, pace: readonly Pace[]): Budget => ({
  key,
  limits: pace.map(({ calls, perMs }) => [calls, perMs] as const),
});

const takeTurns = async (pool: Pool, asks: readonly (readonly Budget[])[]): Promise<Turns[]> => {
  const { rows } = await pool.query<{ ask: number; wait_ms: number }>({
    name: 'take turns',
    text: 'select ask, wait_ms from ops_take_turns($1)',
    values: [JSON.stringify(asks.flatMap((budgets, ask) => budgets.map((one) => ({ ask, ...one }))))],
  });
  const turns = asks.map(() => ({ taken: 0, waitMs: 0 }));
  for (const { ask, wait_ms } of rows) {
    turns[ask]!.taken += 1;
    turns[ask]!.waitMs = wait_ms; // only the last one waits
  }
  return turns;
};
