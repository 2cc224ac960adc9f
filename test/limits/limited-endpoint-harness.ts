import { readLimitsProfile } from '../../src/config/limits-profile.js';
import type { Budget, LimitedEndpoint, Limiter, PostCheck, Verdict } from '../../src/limits/limiter.js';
import { type LimitsDatabase, type ProfileChange, profileWith } from './limits-database.js';

export const ADMITTED: unknown = expect.objectContaining({ outcome: 'admitted' });

/** A rejection with this reason and this wait in seconds. */
export const rejected = (reason: string, retryAfter: number): unknown =>
  expect.objectContaining({ outcome: 'rejected', reason, retryAfter });

/** One endpoint with its own limiter, under one profile. The clock stays at noon until it is set. */
export class LimitedEndpointHarness {
  private constructor(
    readonly limiter: Limiter,
    readonly setClock: (time: string) => Promise<void>,
    public endpoint: LimitedEndpoint,
  ) {}

  static async create(
    database: LimitsDatabase,
    change: ProfileChange | 'B',
    minInterval: number,
    plan: LimitedEndpoint['plan'],
  ): Promise<LimitedEndpointHarness> {
    const profile = change === 'B' ? readLimitsProfile('B') : profileWith(change);
    const { limiter, setClock } = await database.newLimiterAtNoon(profile);
    return new LimitedEndpointHarness(limiter, setClock, await database.createEndpoint(plan, minInterval));
  }

  post(check: Partial<PostCheck> = {}): Promise<Verdict> {
    return this.limiter.admitPost({
      endpoint: this.endpoint,
      keys: [],
      newStreams: [],
      consume: true,
      month: null,
      ...check,
    });
  }

  async postAt(time: string, check: Partial<PostCheck> = {}): Promise<Verdict> {
    await this.setClock(time);
    return this.post(check);
  }

  consumeBudget(budget: Budget): Promise<Verdict> {
    return this.limiter.consumeBudget(this.endpoint, budget);
  }
}

/** Returns a function that creates endpoints in a test file's database; default: profile A, interval 10 s, plan Pro. */
export const harnessOn =
  (database: () => LimitsDatabase) =>
  (
    change: ProfileChange | 'B' = {},
    minInterval = 10,
    plan: LimitedEndpoint['plan'] = 'pro',
  ): Promise<LimitedEndpointHarness> =>
    LimitedEndpointHarness.create(database(), change, minInterval, plan);
