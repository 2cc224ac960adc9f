import type { Instant } from '../../kernel/clock.js';
import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';

/**
 * The log entry of a request that did not lead to an accepted post (D-33), with the field names of management-api.md.
 * For an accepted post, the entry is stored in the post's own event (`RequestFacts`).
 */
export interface LoggedRequest {
  readonly request_id: string;
  /** Time of arrival. */
  readonly at: Instant;
  readonly ip: string;
  readonly user_agent: string | null;
  readonly route: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly http_status: number;
  readonly latency_ms: number;
  readonly payload_bytes: number;
  readonly trace_id: string | null;
  readonly post_id: string | null;
  /** Rule, figures and event id of a rejection (D-36). */
  readonly why: JsonObject | null;
}

/**
 * Requests that did not lead to an accepted post were logged: rejections, replays, discovery, pauses. Appended in small
 * batches to `requestLog-<endpoint>`, which retains {@link RETAINED_EVENTS} events.
 */
export type RequestsLogged = DomainEvent<
  'RequestsLogged',
  {
    readonly endpointId: string;
    /** Null once they are erased (D-100). */
    readonly requests: readonly LoggedRequest[] | null;
  }
>;

/**
 * Number of events that a request log retains; each holds at least one request. Twice the 100 requests that readers see
 * (publish-api.md: Limits, request log), so that a rebuild finds the newest requests even if a hundred older ones were
 * appended after them.
 */
export const RETAINED_EVENTS = 200;

export const requestLogEvents = { RequestsLogged: withContent(['requests']) } satisfies Catalogue &
  Record<RequestsLogged['type'], unknown>;

export const requestLogStream = (endpointId: string): string => `requestLog-${endpointId}`;
