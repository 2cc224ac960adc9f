import { type Instant, iso, isoOrNull } from '../../../kernel/instant.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import type { RequestRow } from '../../../projections/request-log/request-log.queries.js';

/** An endpoint as the API shows it (management-api.md); neither its token nor its signing secret is ever shown again. */
export const endpointView = (row: EndpointRow, baseUrl: string, now: Instant): object => ({
  id: row.endpoint_id,
  owner_id: row.owner_id,
  name: row.name,
  slug: row.slug,
  url: `${baseUrl}/v1/webhooks/${row.slug}`,
  mode: row.mode,
  project_ids: row.project_ids,
  min_interval: row.min_interval,
  require_signature: row.require_signature,
  require_timestamp: row.require_timestamp,
  ip_allowlist: row.ip_allowlist,
  verbose_discovery: row.verbose_discovery,
  is_active: row.disabled_by === null,
  disabled_by: row.disabled_by,
  slug_rotated_at: isoOrNull(row.slug_rotated_at),
  /** D-40: until when the secret before the present one is valid too. */
  previous_secret_until: row.previous_until > now ? iso(row.previous_until) : null,
  created_at: iso(row.created_at),
});

/** A line of the request log (D-33). */
export const requestView = (row: RequestRow): object => ({
  id: row.request_id,
  at: iso(row.at),
  ip: row.ip,
  user_agent: row.user_agent,
  route: row.route,
  decision: row.decision,
  reason: row.reason,
  http_status: row.http_status,
  latency_ms: row.latency_ms,
  payload_bytes: row.payload_bytes,
  trace_id: row.trace_id,
  post_id: row.post_id,
  why: row.why,
});
