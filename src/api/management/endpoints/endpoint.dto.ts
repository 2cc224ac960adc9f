import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { isConsoleEndpoint } from '../../../domain/endpoint/console-endpoint.js';
import { type DisabledBy, type EndpointSettings, type Mode, MODES } from '../../../domain/endpoint/endpoint.events.js';
import { CLOCK, type Clock, ifLater, type Instant } from '../../../kernel/clock.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import { PlannedPostQueries } from '../../../projections/planned-posts/planned-posts.queries.js';
import { asSent, ReadAs } from '../../../validation/check-fields.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { describeValue, tooManyPredicate } from '../../../validation/wording.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { checkIds, isTime } from '../common-fields.js';
import { ALLOWLIST_MESSAGES, BODY_MESSAGES } from '../messages.js';
import { OwnedResources, type ResourcePlace } from '../owned-resources.js';

const MAX_ENTRIES = 200;
const MAPPED_BITS = 96;

/**
 * Parses an IP allowlist (publish-api.md: Inbound endpoint) into the canonical form that requests are matched against:
 * IPv4-mapped IPv6 becomes IPv4 (security.md: Behind a proxy). Rejects a network with bits beyond its prefix.
 * @param value already reported if it is not an array
 */
export const readAllowlist = (value: unknown, problems: ProblemList): string[] => {
  if (!Array.isArray(value)) return [];
  if (value.length > MAX_ENTRIES)
    problems.add(422, 'ip_allowlist', 'too_many', tooManyPredicate(value.length, MAX_ENTRIES));
  const entries = (value as unknown[]).slice(0, MAX_ENTRIES).map((entry, index) => {
    const read = typeof entry === 'string' ? canonicalise(entry) : NOT_AN_ADDRESS;
    if (typeof read === 'string') return read;
    problems.add(422, `ip_allowlist[${index}]`, 'bad_address', read(describeValue(entry)));
    return '';
  });
  return [...new Set(entries)];
};

/**
 * Returns the problem with an entry; the message appends it to the path.
 * @param value the entry as shown in messages
 */
type Complaint = (value: string) => string;

const NOT_AN_ADDRESS: Complaint = (value) => ALLOWLIST_MESSAGES.notAnAddress({ value });

const canonicalise = (entry: string): string | Complaint => {
  const [text = '', bits, ...more] = entry.split('/');
  // ipaddr.js alone would accept `10` and `0x7f.1` as addresses. No client address has a zone.
  if (isIP(text) === 0 || text.includes('%') || more.length > 0) return NOT_AN_ADDRESS;
  const given = ipaddr.parse(text);
  const address = ipaddr.process(text);
  const full = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return address.toString();
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return NOT_AN_ADDRESS;
  const prefix = Number(bits) - (given.kind() === address.kind() ? 0 : MAPPED_BITS);
  if (prefix < 0 || prefix > full) return (value) => ALLOWLIST_MESSAGES.badPrefix({ value });
  const network = networkAddress(address, prefix);
  if (network === address.toString()) return `${network}/${prefix}`;
  const both = { network: `${network}/${prefix}`, address: address.toString() };
  return (value) => ALLOWLIST_MESSAGES.hostBits({ ...both, value });
};

const networkAddress = (address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string => {
  const cidr = `${address.toString()}/${prefix}`;
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(cidr).toString();
};

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

  /** False if clients may not take back or edit what is published through the endpoint. Default: true. */
  @Must.beBoolean()
  readonly allow_changes: boolean | undefined;
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
        allowChanges: fields.allow_changes ?? true,
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
      allowChanges: fields.allow_changes,
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

/** Body of POST /endpoints/console. */
class ConsoleEndpointBody {
  /** Required with the operator's key; may be omitted with an owner's. */
  @ReadAs(asSent)
  @Schema.is(() => ({ type: 'string', pattern: '^own_' }))
  readonly owner_id: unknown;

  /** Projects to add to those that the endpoint already posts to. */
  @Schema.items(() => ({ type: 'string', pattern: '^prj_' }))
  @Schema.is(() => ({ maxItems: 200, uniqueItems: true }))
  @Must.beArray('project ids')
  @Must.bePresent('the ids of its projects, such as ["prj_…"]')
  readonly project_ids!: readonly string[];
}

/** Reads the body of POST /endpoints/console. */
export const readConsoleEndpoint: BodyReader<{ readonly projectIds: readonly string[] }> = (sent, problems) => {
  const { project_ids: projectIds } = fieldsReader(ConsoleEndpointBody)(sent, problems);
  checkIds(projectIds, 'project_ids', 'prj', problems);
  return { projectIds };
};

/** Returns the settings of a new console endpoint, which only the console uses. */
export const consoleEndpointSettings = (
  { minInterval }: LimitsProfile,
  projectIds: readonly string[],
): EndpointSettings => ({
  name: null,
  projectIds,
  minInterval: minInterval.min,
  requireSignature: false,
  requireTimestamp: false,
  ipAllowlist: [],
  verboseDiscovery: false,
  requiresApproval: false,
  allowChanges: true,
});

/** Returns the body schema for POST /endpoints/console. */
export const describeConsoleEndpoint = (): JsonSchema => schemaOf(ConsoleEndpointBody);

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

/** An endpoint as returned by the API (management-api.md: Routes), without its token and signing secret. */
export class EndpointView {
  /** `ep_…` */
  readonly id: string;
  readonly owner_id: string;
  /** Null if the endpoint has no name. */
  readonly name: string | null;
  readonly slug: string;
  /** URL that clients post to. For a test endpoint, the URL of its sandbox (D-12). */
  readonly url: string;
  readonly mode: Mode;
  readonly project_ids: readonly string[];
  /** Minimum time between two accepted posts, in seconds. */
  readonly min_interval: number;
  readonly require_signature: boolean;
  readonly require_timestamp: boolean;
  /** IP addresses and CIDRs in canonical form; empty if requests from any address are accepted. */
  readonly ip_allowlist: readonly string[];
  readonly verbose_discovery: boolean;
  /** True if each post waits until an owner or the operator approves it. */
  readonly requires_approval: boolean;
  /** False if clients may not take back or edit what is published through the endpoint. */
  readonly allow_changes: boolean;
  /** True for the endpoint through which the web console publishes. */
  readonly is_console: boolean;
  readonly is_active: boolean;
  /** Null if the endpoint is active. */
  readonly disabled_by: DisabledBy | null;
  /** ISO 8601, UTC; null before the first rotation. */
  readonly slug_rotated_at: string | null;
  /** When the previous signing secret becomes invalid (D-40; ISO 8601, UTC); null if only one secret is valid. */
  readonly previous_secret_until: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;

  /** @param baseUrl this gateway's base URL, without a trailing slash */
  constructor(row: EndpointRow, baseUrl: string, now: Instant) {
    this.id = row.endpoint_id;
    this.owner_id = row.owner_id;
    this.name = row.name;
    this.slug = row.slug;
    this.url = row.mode === 'test' ? `${baseUrl}/v1/sandbox/test` : `${baseUrl}/v1/webhooks/${row.slug}`;
    this.mode = row.mode;
    this.project_ids = row.project_ids;
    this.min_interval = row.min_interval;
    this.require_signature = row.require_signature;
    this.require_timestamp = row.require_timestamp;
    this.ip_allowlist = row.ip_allowlist;
    this.verbose_discovery = row.verbose_discovery;
    this.requires_approval = row.requires_approval;
    this.allow_changes = row.allow_changes;
    this.is_console = isConsoleEndpoint(row.endpoint_id, row.owner_id);
    this.is_active = row.is_active;
    this.disabled_by = row.disabled_by;
    this.slug_rotated_at = row.slug_rotated_at;
    this.previous_secret_until = ifLater(row.previous_secret?.until, now);
    this.created_at = row.created_at;
  }
}

/** An endpoint with its new token. */
export class EndpointWithTokenView extends EndpointView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly token: string | null;
}

/** The response to `rotate-token`. */
export class RotatedTokenView extends EndpointWithTokenView {
  /** Number of its planned posts, which may have been sent with the old token (D-87). */
  declare readonly planned_posts: number;
}

/** The response to `disable`. */
export class DisabledEndpointView extends EndpointView {
  /** Number of its planned posts, which are still published (D-87). */
  declare readonly planned_posts: number;
}

/** The response to `cancel-planned` (D-87). */
export class CancelledPostsView {
  constructor(
    /** Number of posts that this request cancelled. */
    readonly cancelled: number,
  ) {}
}

/** An endpoint with its new signing secret: the response to `rotate-secret`. */
export class EndpointWithSecretView extends EndpointView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly signing_secret: string | null;
}

/** A new endpoint with its secrets: the response to its creation. */
export class NewEndpointView extends EndpointWithTokenView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly signing_secret: string | null;
}

/** Builds endpoint views, including the URL that posts are sent to. */
@Injectable()
export class EndpointViewBuilder {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly resources: OwnedResources,
    private readonly planned: PlannedPostQueries,
  ) {}

  /** Returns an endpoint that the caller may see. @throws HttpProblem 404 */
  async findView({ request, id }: ResourcePlace): Promise<EndpointView> {
    return this.buildView(await this.resources.findResource(request, 'endpoint', id));
  }

  /** Returns an endpoint as {@link findView}, with the number of its planned posts (D-87). */
  async findViewWithPlanned(place: ResourcePlace): Promise<DisabledEndpointView> {
    const view = await this.findView(place);
    return { ...view, planned_posts: await this.planned.countOfEndpoint(place.id) };
  }

  buildView(row: EndpointRow): EndpointView {
    // Read each time, because with PORT=0 the address is unknown until the server listens.
    return new EndpointView(row, this.settings.baseUrl ?? '', this.clock.now());
  }
}
