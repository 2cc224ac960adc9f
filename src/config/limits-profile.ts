import { readFileSync } from 'node:fs';
import { type Plan, PLANS } from '../domain/owner/owner.events.js';
import { PROFILE_MESSAGES } from './messages.js';

/** Caps of one plan on an owner's resources and planned posts, and on the targets of a post (D-67, D-79). null means unlimited. */
export interface ResourceCaps {
  readonly channels: number | null;
  readonly projects: number | null;
  /** Live and test endpoints combined. */
  readonly endpoints: number | null;
  /** Total for all of the owner's projects. */
  readonly webhookOutputs: number | null;
  /** Webhook outputs of one project (D-82). */
  readonly outputsPerProject: number | null;
  /** Maximum number of channels that one post may address. */
  readonly targetsPerPost: number | null;
  /** Posts that wait for their time or for approval (D-79). */
  readonly plannedPosts: number | null;
  /** Named keys for the management API, without the main key and auditors' keys (D-93). */
  readonly keys: number | null;
  /** Total size of uploaded files (D-90). */
  readonly mediaBytes: number | null;
}

/** Limits and capabilities of one plan. null means unlimited (management-api.md: LIMITS_PROFILE). */
export interface PlanLimits {
  /** At most `requests` (>= 1) accepted posts in any sliding window of `perSeconds` (> 0), per endpoint. */
  readonly burst: { readonly requests: number; readonly perSeconds: number } | null;
  /** Accepted posts per UTC hour and endpoint. */
  readonly hourly: number | null;
  /** Successful publications per UTC month and owner (D-18). */
  readonly monthlyPosts: number | null;
  /** Sandbox calls per UTC day and owner (D-17, D-51). */
  readonly sandboxDaily: number | null;
  /** True if the plan's endpoints may publish. */
  readonly webhookInput: boolean;
  /** True if the plan may send webhooks. */
  readonly webhookOutput: boolean;
  readonly resources: ResourceCaps;
}

/** All plan data and rate limits, read from one file (D-15). Null means unlimited. */
export interface LimitsProfile {
  /** `A`, `B`, or the path to a profile file. */
  readonly name: string;
  readonly plans: Readonly<Record<Plan, PlanLimits>>;
  /** Seconds between two accepted posts of an endpoint: the allowed range, and the default. */
  readonly minInterval: { readonly min: number; readonly max: number; readonly default: number };
  /** Per endpoint (D-17). */
  readonly discoveryPerMinute: number | null;
  /** temp-pause and temp-resume combined, per endpoint (D-17). */
  readonly pausesPerMinute: number | null;
  /** Changes of planned posts, per endpoint (D-63). */
  readonly changesPerMinute: number | null;
  /** Changes through the management API, per owner (D-83). */
  readonly managementChangesPerMinute: number | null;
  /** Uploads per endpoint, and per owner with management keys (D-90). */
  readonly uploadsPerMinute: number | null;
  /** Per endpoint (D-45). */
  readonly replaysPerMinute: number | null;
  /** Requests to media and translation hosts before acceptance, per endpoint; twice as many per owner (D-51). */
  readonly probesPerMinute: number | null;
  /** Response bytes from these hosts, per endpoint; twice as many per owner. */
  readonly probeBytesPerMinute: number | null;
  /** Processing time that an owner's previews may use per minute, in each process, in ms (ADR-209). */
  readonly previewMsPerMinute: number | null;
  /** Number of violations within a sliding hour after which an endpoint is disabled (D-17); null for never. */
  readonly violationsToDisable: number | null;
}

/** Returns the plans' monthly post quotas (D-18); null if unlimited. */
export const monthlyPostsOf = ({ plans }: LimitsProfile): Readonly<Record<Plan, number | null>> =>
  Object.fromEntries(PLANS.map((plan) => [plan, plans[plan].monthlyPosts])) as Record<Plan, number | null>;

/** Returns the plans whose endpoints may publish. */
export const plansWithInput = ({ plans }: LimitsProfile): readonly Plan[] =>
  PLANS.filter((plan) => plans[plan].webhookInput);

/** Returns the plans that may send webhooks. */
export const plansWithOutput = ({ plans }: LimitsProfile): readonly Plan[] =>
  PLANS.filter((plan) => plans[plan].webhookOutput);

/** Returns the plans' caps (D-67). */
export const resourceCapsOf = ({ plans }: LimitsProfile): Readonly<Record<Plan, ResourceCaps>> =>
  Object.fromEntries(PLANS.map((plan) => [plan, plans[plan].resources])) as Record<Plan, ResourceCaps>;

/** Maximum for intervals and burst windows: 31 days, in seconds. */
const MAX_SECONDS = 31 * 86_400;
/** Maximum for limits per minute, caps and violations. */
const MAX_COUNT = 1_000_000_000;

// Defaults for profiles that lack these limits, per minute (D-51, D-63, D-83).
const DEFAULT_CHANGES = 60;
const DEFAULT_MANAGEMENT_CHANGES = 600;
const DEFAULT_UPLOADS = 60;
const DEFAULT_PROBES = 600;
const DEFAULT_PROBE_BYTES = 200 * 1_048_576;
/** A sixth of a CPU core. */
const DEFAULT_PREVIEW_MS = 10_000;

const builtIn = new URL('./limits-profiles.json', import.meta.url);

/**
 * Reads a profile: `A` or `B` of limits-profiles.json, or a JSON file in the same format. Unknown fields are ignored;
 * all known fields are required, except the limits for changes, the budgets for probes and previews, and the plans'
 * caps.
 * @throws Error naming the file, the invalid field, its valid values and its value.
 */
export const readLimitsProfile = (nameOrPath: string): LimitsProfile => {
  if (nameOrPath !== 'A' && nameOrPath !== 'B')
    return parseProfile(nameOrPath, new FieldReader(readJson(nameOrPath), nameOrPath));
  return parseProfile(nameOrPath, new FieldReader(readJson(builtIn), 'limits-profiles.json').object(nameOrPath));
};

const readJson = (file: string | URL): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      PROFILE_MESSAGES.unreadable({ file: String(file), code: (error as NodeJS.ErrnoException).code ?? String(error) }),
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(PROFILE_MESSAGES.notJson({ file: String(file), reason: (error as Error).message }));
  }
};

const parseProfile = (name: string, profile: FieldReader): LimitsProfile => {
  const plans = profile.object('plans');
  const minInterval = profile.object('min_interval');
  const min = minInterval.wholeNumber('min', 0, MAX_SECONDS);
  const max = minInterval.wholeNumber('max', min, MAX_SECONDS);
  return {
    name,
    plans: Object.fromEntries(PLANS.map((plan) => [plan, parsePlan(plans.object(plan))])) as Record<Plan, PlanLimits>,
    minInterval: { min, max, default: minInterval.wholeNumber('default', min, max) },
    discoveryPerMinute: profile.wholeNumberOrNull('discovery_per_minute', 1, MAX_COUNT),
    pausesPerMinute: profile.wholeNumberOrNull('pauses_per_minute', 1, MAX_COUNT),
    changesPerMinute: profile.optional('changes_per_minute', 1, DEFAULT_CHANGES, MAX_COUNT),
    managementChangesPerMinute: profile.optional(
      'management_changes_per_minute',
      1,
      DEFAULT_MANAGEMENT_CHANGES,
      MAX_COUNT,
    ),
    uploadsPerMinute: profile.optional('uploads_per_minute', 1, DEFAULT_UPLOADS, MAX_COUNT),
    replaysPerMinute: profile.wholeNumberOrNull('replays_per_minute', 1, MAX_COUNT),
    probesPerMinute: profile.optional('probes_per_minute', 1, DEFAULT_PROBES, MAX_COUNT),
    probeBytesPerMinute: profile.optional('probe_bytes_per_minute', 1, DEFAULT_PROBE_BYTES),
    previewMsPerMinute: profile.optional('preview_ms_per_minute', 1, DEFAULT_PREVIEW_MS, MAX_COUNT),
    violationsToDisable: profile.wholeNumberOrNull('violations_to_disable', 1, MAX_COUNT),
  };
};

const parsePlan = (plan: FieldReader): PlanLimits => {
  const burst = plan.isNull('burst') ? null : plan.object('burst');
  return {
    burst: burst && {
      requests: burst.wholeNumber('requests', 1, MAX_COUNT),
      perSeconds: burst.positive('per_seconds', MAX_SECONDS),
    },
    hourly: plan.wholeNumberOrNull('hourly', 0),
    monthlyPosts: plan.wholeNumberOrNull('monthly_posts', 0),
    sandboxDaily: plan.wholeNumberOrNull('sandbox_daily', 0),
    webhookInput: plan.boolean('webhook_input'),
    webhookOutput: plan.boolean('webhook_output'),
    resources: parseResources(plan.objectOrNull('resources')),
  };
};

/** Reads a plan's caps. A missing or null cap means unlimited; a profile without caps limits nothing. */
const parseResources = (resources: FieldReader | null): ResourceCaps => {
  const readCap = (name: string, min: number): number | null => resources?.optional(name, min, null, MAX_COUNT) ?? null;
  return {
    channels: readCap('channels', 0),
    projects: readCap('projects', 0),
    endpoints: readCap('endpoints', 0),
    webhookOutputs: readCap('webhook_outputs', 0),
    outputsPerProject: readCap('outputs_per_project', 0),
    targetsPerPost: readCap('targets_per_post', 1),
    plannedPosts: readCap('planned_posts', 0),
    keys: readCap('keys', 0),
    mediaBytes: resources?.optional('media_bytes', 0, null) ?? null,
  };
};

const isWholeNumber = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;

const describeRange = (min: number, max: number): string =>
  max === Number.MAX_SAFE_INTEGER
    ? PROFILE_MESSAGES.from({ least: min })
    : PROFILE_MESSAGES.fromTo({ least: min, most: max });

/** Reads a JSON object's fields. Knows the path of the object, so errors can name the field. */
class FieldReader {
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly file: string,
    private readonly path = '',
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.wrongField('', 'an object', value);
    this.fields = value as Record<string, unknown>;
  }

  isNull(name: string): boolean {
    return this.fields[name] === null;
  }

  object(name: string): FieldReader {
    return new FieldReader(this.fields[name], this.file, this.pathOf(name));
  }

  /** Reads an object that may be missing or null. */
  objectOrNull(name: string): FieldReader | null {
    return (this.fields[name] ?? null) === null ? null : this.object(name);
  }

  wholeNumber(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.fields[name];
    if (isWholeNumber(value, min, max)) return value;
    throw this.wrongField(name, PROFILE_MESSAGES.wholeNumber({ range: describeRange(min, max) }), value);
  }

  wholeNumberOrNull(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | null {
    const value = this.fields[name];
    if (value === null) return null;
    if (isWholeNumber(value, min, max)) return value;
    throw this.wrongField(name, PROFILE_MESSAGES.wholeNumberOrNull({ range: describeRange(min, max) }), value);
  }

  /** Reads a whole number or null; a missing field gets the default. */
  optional(name: string, min: number, byDefault: number | null, max = Number.MAX_SAFE_INTEGER): number | null {
    return this.fields[name] === undefined ? byDefault : this.wholeNumberOrNull(name, min, max);
  }

  positive(name: string, max: number): number {
    const value = this.fields[name];
    if (typeof value === 'number' && value > 0 && value <= max) return value;
    throw this.wrongField(name, PROFILE_MESSAGES.positive({ most: max }), value);
  }

  boolean(name: string): boolean {
    const value = this.fields[name];
    if (typeof value === 'boolean') return value;
    throw this.wrongField(name, 'true or false', value);
  }

  private pathOf(name: string): string {
    return [this.path, name].filter((part) => part !== '').join('.');
  }

  private wrongField(name: string, takes: string, value: unknown): Error {
    const field = this.pathOf(name) || PROFILE_MESSAGES.theFile;
    const found =
      value === undefined ? PROFILE_MESSAGES.missing : PROFILE_MESSAGES.found({ value: JSON.stringify(value) });
    return new Error(PROFILE_MESSAGES.wrongField({ file: this.file, field, takes, found }));
  }
}
