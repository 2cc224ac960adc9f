import { readLimitsProfile } from '../../src/config/limits-profile.js';
import type { Budget, LimitedEndpoint, Limiter, PostAsk, Verdict } from '../../src/limits/limiter.js';
import { type LimitsDatabase, type ProfileChange, profileWith } from './limits-database.js';

export const TAKEN: unknown = expect.objectContaining({ outcome: 'taken' });

/** A refusal with this reason and this wait in seconds. */
export const refused = (reason: string, retryAfter: number): unknown =>
  expect.objectContaining({ outcome: 'refused', reason, retryAfter });

/** One endpoint under one profile, and a clock that stands at noon until it is set. */
export class Scene {
  private constructor(
    readonly limiter: Limiter,
    readonly at: (time: string) => Promise<void>,
    public endpoint: LimitedEndpoint,
  ) {}

  static async of(
    database: LimitsDatabase,
    change: ProfileChange | 'B',
    minInterval: number,
    plan: LimitedEndpoint['plan'],
  ): Promise<Scene> {
    const profile = change === 'B' ? readLimitsProfile('B') : profileWith(change);
    const { limiter, setClock } = await database.atNoon(profile);
    return new Scene(limiter, setClock, await database.endpoint(plan, minInterval));
  }

  post(ask: Partial<PostAsk> = {}): Promise<Verdict> {
    return this.limiter.post({ endpoint: this.endpoint, keys: [], newStreams: [], take: true, month: null, ...ask });
  }

  async postAt(time: string, ask: Partial<PostAsk> = {}): Promise<Verdict> {
    await this.at(time);
    return this.post(ask);
  }

  budget(budget: Budget): Promise<Verdict> {
    return this.limiter.budget(this.endpoint, budget);
  }
}

/** Sets scenes on a file's database: by default profile A, an interval of 10 s, the plan Pro. */
export const scenes =
  (database: () => LimitsDatabase) =>
  (change: ProfileChange | 'B' = {}, minInterval = 10, plan: LimitedEndpoint['plan'] = 'pro'): Promise<Scene> =>
    Scene.of(database(), change, minInterval, plan);
