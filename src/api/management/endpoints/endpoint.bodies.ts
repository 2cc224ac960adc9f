import type { LimitsProfile } from '../../../config/limits-profile.js';
import { type EndpointSettings, type Mode, MODES } from '../../../domain/endpoint/endpoint.events.js';
import { asSent } from '../../../validation/absence.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { ReadAs } from '../../../validation/read-fields.js';
import { Must } from '../../../validation/rules.js';
import { describeValue } from '../../../validation/wording.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { checkIds } from '../id-list.js';
import { BODY_MESSAGES } from '../messages.js';
import { isTime } from '../time.js';
import { readAllowlist } from './allowlist.js';

class EndpointPatchBody {
  /** Null removes the name. */
  @Schema.is(() => ({ type: ['string', 'null'] }))
  @Must.beName()
  readonly name: string | undefined;

  @Schema.items(() => ({ type: 'string', pattern: '^prj_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('project ids')
  readonly project_ids: readonly string[] | undefined;

  /** Minimum time between two accepted posts, in seconds, within the limits profile's range. */
  @Must.beInteger()
  readonly min_interval: number | undefined;

  @Must.beBoolean()
  readonly require_signature: boolean | undefined;

  @Must.beBoolean()
  readonly require_timestamp: boolean | undefined;

  /** Null removes the allowlist. */
  @Schema.is(() => ({ type: ['array', 'null'] }))
  @Schema.items(() => ({ type: 'string' }))
  @Must.beArray('IP addresses and CIDRs')
  readonly ip_allowlist: unknown;

  @Must.beBoolean()
  readonly verbose_discovery: boolean | undefined;

  /** True if each post needs approval by an owner or the operator. Does not affect posts that are already waiting. */
  @Must.beBoolean()
  readonly requires_approval: boolean | undefined;
}

class EndpointBody extends EndpointPatchBody {
  /** Required with the operator's key; may be omitted with an owner's. */
  @ReadAs(asSent)
  @Schema.is(() => ({ type: 'string', pattern: '^own_' }))
  readonly owner_id: unknown;

  @Must.beOneOf(MODES)
  @Must.bePresent('"live" or "test"')
  readonly mode!: Mode;

  @Must.bePresent('the ids of its projects, such as ["prj_…"]; [] for none')
  declare readonly project_ids: readonly string[];
}

/** Body of POST /endpoints. */
export interface NewEndpoint {
  readonly mode: Mode;
  readonly settings: EndpointSettings;
}

/** Creates the reader for the body of POST /endpoints. The default of `min_interval` comes from the limits profile. */
export const createEndpointReader =
  ({ minInterval }: LimitsProfile): BodyReader<NewEndpoint> =>
  (sent, problems) => {
    const fields = fieldsReader(EndpointBody)(sent, problems);
    checkIds(fields.project_ids, 'project_ids', 'prj', problems);
    checkInterval(fields.min_interval, minInterval, problems);
    return {
      mode: fields.mode,
      settings: {
        name: fields.name ?? null,
        projectIds: fields.project_ids,
        minInterval: fields.min_interval ?? minInterval.default,
        requireSignature: fields.require_signature ?? false,
        requireTimestamp: fields.require_timestamp ?? false,
        ipAllowlist: readAllowlist(fields.ip_allowlist, problems),
        verboseDiscovery: fields.verbose_discovery ?? false,
        requiresApproval: fields.requires_approval ?? false,
      },
    };
  };

/**
 * Creates the reader for the body of PATCH /endpoints/{id}. Omitted fields are left unchanged; null removes `name` and
 * `ip_allowlist`.
 */
export const createEndpointChangeReader =
  ({ minInterval }: LimitsProfile): BodyReader<Partial<EndpointSettings>> =>
  (sent, problems) => {
    const fields = fieldsReader(EndpointPatchBody)(sent, problems);
    checkIds(fields.project_ids, 'project_ids', 'prj', problems);
    checkInterval(fields.min_interval, minInterval, problems);
    return {
      name: sent.name === undefined ? undefined : (fields.name ?? null),
      projectIds: fields.project_ids,
      minInterval: fields.min_interval,
      requireSignature: fields.require_signature,
      requireTimestamp: fields.require_timestamp,
      ipAllowlist: sent.ip_allowlist === undefined ? undefined : readAllowlist(fields.ip_allowlist, problems),
      verboseDiscovery: fields.verbose_discovery,
      requiresApproval: fields.requires_approval,
    };
  };

/**
 * Checks the minimum interval between two accepted posts, in seconds, against the limits profile's range
 * (publish-api.md: Limits; D-15).
 */
const checkInterval = (value: unknown, { min, max }: LimitsProfile['minInterval'], problems: ProblemList): void => {
  if (!Number.isInteger(value) || ((value as number) >= min && (value as number) <= max)) return;
  problems.add(
    422,
    'min_interval',
    'out_of_range',
    BODY_MESSAGES.outOfRangeSeconds({ least: min, most: max, value: describeValue(value) }),
  );
};

/** Returns a body schema with the limits profile's range for `min_interval`. */
const describeFields =
  (Body: typeof EndpointPatchBody) =>
  ({ limitsProfile }: { readonly limitsProfile: LimitsProfile }): JsonSchema => {
    const schema = schemaOf(Body);
    const { min, max } = limitsProfile.minInterval;
    const interval = { type: 'integer', minimum: min, maximum: max };
    return { ...schema, properties: { ...(schema.properties as JsonSchema), min_interval: interval } };
  };

/** Returns the body schema for POST /endpoints. */
export const describeNewEndpoint = describeFields(EndpointBody);
/** Returns the body schema for PATCH /endpoints/{id}. */
export const describeEndpointChange = describeFields(EndpointPatchBody);

/** Body of POST /endpoints/{id}/cancel-planned. */
export class CancelPlannedBody {
  /** Cancels only posts that were accepted at or after this time; all planned posts if it is absent. */
  @isTime()
  readonly since: string | undefined;
}

/** Body of …/rotate-secret. */
export class RotateSecretBody {
  /** At most a week, because a rotation has to end at some point. */
  @Must.beWithin(0, 10_080)
  readonly overlap_minutes: number | undefined;
}
