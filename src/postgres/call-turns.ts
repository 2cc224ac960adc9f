import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { Batcher } from '../runtime/batcher.js';

/** Rate limits of one chat or account, under a key that all processes share. */
export interface CallBudget {
  readonly key: string;
  readonly limits: readonly (readonly [calls: number, perMs: number])[];
}

/**
 * An owner who makes calls with a credential. Each budget belongs to one caller: no owner takes another's turns, and a
 * credential that the network refuses takes no turn of one that it accepts (D-68).
 */
export interface Caller {
  readonly platform: string;
  readonly ownerId: string;
  readonly credential: string | undefined;
}

/** Turns that the database has given to one request. */
export interface CallTurn {
  /** Number of budgets, from the first, that have given a turn. */
  readonly count: number;
  /** Time in ms until the last of these turns; 0: it is now. */
  readonly waitMs: number;
}

/**
 * Gives calls to the networks their turns: a sliding window for each chat and each account of an owner, shared by all
 * processes (`ops_reserve_slots`). Requests of the same moment share a statement.
 */
export class CallTurns {
  private readonly reservations: Batcher<Reservation, CallTurn>;

  constructor(pool: Pool) {
    this.reservations = new Batcher((requests: readonly Reservation[]) => reserveTurns(pool, requests), {
      maxBatchSize: 100,
    });
  }

  /**
   * Reserves a turn in each budget, up to and including the first that has one in the future only.
   *
   * @param publication id of a publication whose turn readers see, if it is two seconds away or more ({@link TURN_OF})
   */
  reserve(budgets: readonly CallBudget[], publication?: string): Promise<CallTurn> {
    return this.reservations.submit({ budgets, publication });
  }
}

/** A request for turns. */
interface Reservation {
  readonly budgets: readonly CallBudget[];
  readonly publication: string | undefined;
}

/** Prefix of the key in `ops_pace` under which the turn lies that a publication waits for. */
export const TURN_OF = 'turn/';

/** Prefix of the keys in `ops_pace` that say until when an owner is shown to use its share of a network. */
export const SHARE_OF = 'share/';

/** Returns the key of an owner's share of a network. */
export const keyOfShare = (platform: string, ownerId: string): string => `${SHARE_OF}${platform}/${ownerId}`;

/** Returns the budget of all calls of an owner with a credential. */
export const accountBudget = (caller: Caller, limits: CallBudget['limits']): CallBudget => ({
  key: `account/${keyOf(caller)}`,
  limits,
});

/** Returns the budget of an owner's calls with a credential that readers of a chat see. */
export const chatBudget = (
  caller: Caller,
  address: Readonly<Record<string, string>>,
  limits: CallBudget['limits'],
): CallBudget => {
  const chat = Object.entries(address).sort(([a], [b]) => (a < b ? -1 : 1));
  return { key: `chat/${keyOf(caller)}/${JSON.stringify(chat)}`, limits };
};

/** A key holds the credential's hash, never the credential. */
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
    turns[request]!.waitMs = wait_ms; // only the last turn is in the future
  }
  return turns;
};
