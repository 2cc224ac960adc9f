import type { DisabledBy, Mode } from '../../../domain/endpoint/endpoint.events.js';
import { type Instant, iso, isoOrNull } from '../../../kernel/instant.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';

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
    this.is_active = row.disabled_by === null;
    this.disabled_by = row.disabled_by;
    this.slug_rotated_at = isoOrNull(row.slug_rotated_at);
    this.previous_secret_until = row.previous_until > now ? iso(row.previous_until) : null;
    this.created_at = iso(row.created_at);
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
