import { readFileSync } from 'node:fs';

/** The plans, from the smallest (publish-api.md: Plan availability). */
export const PLANS = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'] as const;
/** Name of a plan. */
export type Plan = (typeof PLANS)[number];

/** What one plan allows. null means unlimited (management-api.md: LIMITS_PROFILE). */
export interface PlanLimits {
  /** At most `requests` (>= 1) accepted posts in any sliding window of `perSeconds` (> 0), per endpoint. */
  readonly burst: { readonly requests: number; readonly perSeconds: number } | null;
  /** Accepted posts per UTC hour and endpoint. */
  readonly hourly: number | null;
  /** Successful publications per UTC month and owner (D-18). */
  readonly monthlyPosts: number | null;
  /** Sandbox calls per UTC day and endpoint (D-17). */
  readonly sandboxDaily: number | null;
  readonly webhookInput: boolean;
  readonly webhookOutput: boolean;
}

/** Every figure that limits something: plan data, one file (D-15). */
export interface LimitsProfile {
  /** `A`, `B`, or the path it was read from. */
  readonly name: string;
  readonly plans: Readonly<Record<Plan, PlanLimits>>;
  /** Seconds between two accepted posts of an endpoint: what may be chosen, and what holds where nothing was. */
  readonly minInterval: { readonly min: number; readonly max: number; readonly default: number };
  /** Per endpoint (D-17); null: unlimited. */
  readonly discoveryPerMinute: number | null;
  /** temp-pause and temp-resume together, per endpoint (D-17); null: unlimited. */
  readonly pausesPerMinute: number | null;
  /** Per endpoint (D-45); null: unlimited. */
  readonly replaysPerMinute: number | null;
  /** Violations in a sliding hour that disable an endpoint (D-17); null: none ever does. */
  readonly violationsToDisable: number | null;
}

/** The plans' monthly post quotas (D-18); null: unlimited. */
export const monthlyPostsOf = ({ plans }: LimitsProfile): Readonly<Record<Plan, number | null>> =>
  Object.fromEntries(PLANS.map((plan) => [plan, plans[plan].monthlyPosts])) as Record<Plan, number | null>;

/** Plans with webhook input. */
export const inputPlansOf = ({ plans }: LimitsProfile): readonly Plan[] =>
  PLANS.filter((plan) => plans[plan].webhookInput);

/** 31 days, in seconds: longer a time between two posts cannot be. */
const LONGEST_S = 31 * 86_400;
/** What is counted within a minute or a burst, at most. */
const MOST = 1_000_000_000;

const builtIn = new URL('./limits-profiles.json', import.meta.url);

/**
 * Reads a profile: `A` or `B` of limits-profiles.json, or a JSON file of the same form as one of these.
 * Fields that it does not know are ignored; all that it knows must be there.
 * @throws Error naming the file and the field that is wrong, what it takes, and what it is.
 */
export const readLimitsProfile = (nameOrPath: string): LimitsProfile => {
  if (nameOrPath !== 'A' && nameOrPath !== 'B') return parse(nameOrPath, new Fields(readJson(nameOrPath), nameOrPath));
  return parse(nameOrPath, new Fields(readJson(builtIn), 'limits-profiles.json').object(nameOrPath));
};

const readJson = (file: string | URL): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${String(file)} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${String(file)} is not JSON: ${(error as Error).message}`);
  }
};

const parse = (name: string, profile: Fields): LimitsProfile => {
  const plans = profile.object('plans');
  const minInterval = profile.object('min_interval');
  const min = minInterval.whole('min', 0, LONGEST_S);
  const max = minInterval.whole('max', min, LONGEST_S);
  return {
    name,
    plans: Object.fromEntries(PLANS.map((plan) => [plan, parsePlan(plans.object(plan))])) as Record<Plan, PlanLimits>,
    minInterval: { min, max, default: minInterval.whole('default', min, max) },
    discoveryPerMinute: profile.wholeOrNull('discovery_per_minute', 1, MOST),
    pausesPerMinute: profile.wholeOrNull('pauses_per_minute', 1, MOST),
    replaysPerMinute: profile.wholeOrNull('replays_per_minute', 1, MOST),
    violationsToDisable: profile.wholeOrNull('violations_to_disable', 1, MOST),
  };
};

const parsePlan = (plan: Fields): PlanLimits => {
  const burst = plan.isNull('burst') ? null : plan.object('burst');
  return {
    burst: burst && {
      requests: burst.whole('requests', 1, MOST),
      perSeconds: burst.positive('per_seconds', LONGEST_S),
    },
    hourly: plan.wholeOrNull('hourly', 0),
    monthlyPosts: plan.wholeOrNull('monthly_posts', 0),
    sandboxDaily: plan.wholeOrNull('sandbox_daily', 0),
    webhookInput: plan.bool('webhook_input'),
    webhookOutput: plan.bool('webhook_output'),
  };
};

const isWhole = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;

const rangeOf = (min: number, max: number): string =>
  max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;

/** A JSON object that knows where it stands, so that every complaint names its field. */
class Fields {
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly file: string,
    private readonly path = '',
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.wrong('', 'an object', value);
    this.fields = value as Record<string, unknown>;
  }

  isNull(name: string): boolean {
    return this.fields[name] === null;
  }

  object(name: string): Fields {
    return new Fields(this.fields[name], this.file, this.pathOf(name));
  }

  whole(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.fields[name];
    if (isWhole(value, min, max)) return value;
    throw this.wrong(name, `a whole number ${rangeOf(min, max)}`, value);
  }

  wholeOrNull(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | null {
    const value = this.fields[name];
    if (value === null) return null;
    if (isWhole(value, min, max)) return value;
    throw this.wrong(name, `a whole number ${rangeOf(min, max)}, or null for unlimited`, value);
  }

  positive(name: string, max: number): number {
    const value = this.fields[name];
    if (typeof value === 'number' && value > 0 && value <= max) return value;
    throw this.wrong(name, `a number above 0, at most ${max}`, value);
  }

  bool(name: string): boolean {
    const value = this.fields[name];
    if (typeof value === 'boolean') return value;
    throw this.wrong(name, 'true or false', value);
  }

  private pathOf(name: string): string {
    return [this.path, name].filter((part) => part !== '').join('.');
  }

  private wrong(name: string, takes: string, value: unknown): Error {
    const field = this.pathOf(name) || 'the file';
    const found = value === undefined ? 'it is missing' : `it is ${JSON.stringify(value)}`;
    return new Error(`${this.file}: ${field} takes ${takes}; ${found}`);
  }
}
