import { iso } from '../../../kernel/instant.js';
import type { RequestRow } from '../../../projections/request-log/request-log.queries.js';

/** A request in an endpoint's log (publish-api.md: Request log entry; D-33). */
export class RequestView {
  /** The request id that was returned as `X-Request-Id`. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The client's address. */
  readonly ip: string;
  readonly user_agent: string | null;
  /** Method and path, with `{slug}` in place of the slug. */
  readonly route: string;
  /** For example `accepted` or `rejected_auth` (publish-api.md: Request-log decisions). */
  readonly decision: string;
  /** Rejection code; null if the request was accepted. */
  readonly reason: string | null;
  readonly http_status: number;
  readonly latency_ms: number;
  /** Size of the body. */
  readonly payload_bytes: number;
  readonly trace_id: string | null;
  /** Null if no post was created. */
  readonly post_id: string | null;
  /** Figures behind the decision (D-36); null if there are none. */
  readonly why: object | null;

  constructor(row: RequestRow) {
    this.id = row.request_id;
    this.at = iso(row.at);
    this.ip = row.ip;
    this.user_agent = row.user_agent;
    this.route = row.route;
    this.decision = row.decision;
    this.reason = row.reason;
    this.http_status = row.http_status;
    this.latency_ms = row.latency_ms;
    this.payload_bytes = row.payload_bytes;
    this.trace_id = row.trace_id;
    this.post_id = row.post_id;
    this.why = row.why;
  }
}
