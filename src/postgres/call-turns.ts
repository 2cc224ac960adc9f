import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Batcher } from '../runtime/batcher.js';
import { POOL } from './tokens.js';

/** Rate limits for one chat or account, under a key that all processes share. */
export interface CallBudget {
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
}

/**
 * An owner making calls with a credential. Each budget belongs to one caller, so owners never use up each other's
 * turns, and a refused credential does not use up the turns of an accepted one (D-68).
 */
export interface Caller {
  readonly platform: string;
  readonly ownerId: string;
  readonly credential: string | undefined;
}

/** Turns that the database has granted to one request. */
interface CallTurn {
  /** Number of leading budgets that have granted a turn. */
  readonly count: number;
  /** Time until the last of these turns, in ms; 0 if the turn is now. */
  readonly waitMs: number;
}

/**
 * Assigns turns to calls to the networks: a sliding window for each chat and each account of an owner, shared by all
 * processes (`ops_reserve_slots`). Concurrent requests share a statement.
 */
@Injectable()
export class CallTurns {
  private readonly reservations: Batcher<Reservation, CallTurn>;

  constructor(@Inject(POOL) private readonly pool: Pool) {
    this.reservations = new Batcher((requests: readonly Reservation[]) => reserveTurns(pool, requests), {
      maxBatchSize: 100,
    });
  }

  /**
   * Reserves a turn in each budget in order, and stops after the first turn that is in the future.
   * @param publication id of the waiting publication; a turn two seconds or more away is recorded ({@link TURN_OF})
   */
  reserve(budgets: readonly CallBudget[], publication?: string): Promise<CallTurn> {
    return this.reservations.submit({ budgets, publication });
  }

  /**
   * Takes a turn for a call that no one waits for: only if half of the account's calls are free, and at most a quarter
   * of its pace under the same name.
   * @returns 0 if the turn is now; otherwise none was taken: the time, in ms, until it is worth asking again
   */
  async takeSpare(account: CallBudget, name: string): Promise<number> {
    const gapMs = Math.max(...account.limits.map(([calls, perMs]) => (perMs * SPARE_SHARE) / calls));
    const { rows } = await this.pool.query<{ wait_ms: number }>({
      name: 'take a spare turn',
      text: 'select ops_take_spare_slot($1, $2, $3, $4) as wait_ms',
      values: [account.key, JSON.stringify(account.limits), `${name}/${account.key}`, gapMs],
    });
    return rows[0]!.wait_ms;
  }
}

/** Of so many calls of an account, one may be spare. */
const SPARE_SHARE = 4;

interface Reservation {
  readonly budgets: readonly CallBudget[];
  readonly publication: string | undefined;
}

/** Prefix of the `ops_pace` key for the turn that a publication waits for. */
export const TURN_OF = 'turn/';

/** Prefix of the `ops_pace` keys that hold the time until which the API reports an owner's share as used up. */
export const SHARE_OF = 'share/';

/** Returns the key of an owner's share of a network. */
export const keyOfShare = (platform: string, ownerId: string): string => `${SHARE_OF}${platform}/${ownerId}`;

/** Returns the budget for all calls that an owner makes with one credential. */
export const accountBudget = (caller: Caller, limits: CallBudget['limits']): CallBudget => ({
  key: `account/${keyOf(caller)}`,
  limits,
});

/** Returns the budget for an owner's calls to one chat with one credential; only calls with a visible effect count. */
export const chatBudget = (
  caller: Caller,
  address: Readonly<Record<string, string>>,
  limits: CallBudget['limits'],
): CallBudget => {
  const chat = Object.entries(address).sort(([a], [b]) => (a < b ? -1 : 1));
  return { key: `chat/${keyOf(caller)}/${JSON.stringify(chat)}`, limits };
};

/** A key contains the credential's hash, never the credential itself. */
const keyOf = ({ platform, ownerId, credential = '' }: Caller): string =>
  `${platform}/${ownerId}/${createHash('sha256').update(credential).digest('hex')}`;

const reserveTurns = async (pool: Pool, requests: readonly Reservation[]): Promise<CallTurn[]> => {
  const budgets = requests.flatMap((one, request) =>
    one.budgets.map((budget) => ({ ...budget, request, waiter: one.publication && TURN_OF + one.publication })),
  );
  const { rows } = await pool.query<{ request: number; wait_ms: number }>({
    name: 'reserve turns',
    text: 'select request, wait_ms from ops_reserve_slots($1)',
    values: [JSON.stringify(budgets)],
  });
  const turns = requests.map(() => ({ count: 0, waitMs: 0 }));
  for (const { request, wait_ms } of rows) {
    turns[request]!.count += 1;
    turns[request]!.waitMs = wait_ms; // only the last turn can be in the future
  }
  return turns;
};
