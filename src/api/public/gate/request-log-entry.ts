import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../kernel/json.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { readHeaderText } from '../../transport/header-text.js';
import { measureBody } from '../../transport/raw-body.js';
import type { Decision, GateRejection } from './gate-rejection.js';
import type { RequestRecorder } from './request-recorder.js';

/** The fields of a request log entry (D-33) that the gate and the controllers fill in. */
export interface RequestLogEntry {
  /** Null until an endpoint is found. A request without an endpoint appears only in the service's own log (D-14). */
  endpointId: string | null;
  /** `trace_id` of the body, if it could be read. */
  traceId: string | null;
  postId: string | null;
  /** If null, a successful response counts as `accepted`. */
  decision: Decision | null;
  reason: string | null;
  why: JsonObject | null;
  /** True if the event that records the post or its idempotency key also stores the entry. */
  isStored: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for requests that no endpoint's log records, such as requests to the sandbox (D-44). */
    logEntry: RequestLogEntry | null;
  }
}

/** Maximum length of a logged User-Agent, in characters. */
const MAX_USER_AGENT = 500;

/** Opens the log entry of a request to an endpoint. */
export const openLogEntry = (request: FastifyRequest): void => {
  request.logEntry = {
    endpointId: null,
    traceId: null,
    postId: null,
    decision: null,
    reason: null,
    why: null,
    isStored: false,
  };
};

/** Sets the endpoint whose log records a request. */
export const setLogEndpoint = (
  { logEntry }: FastifyRequest,
  { endpoint_id }: Pick<EndpointSnapshot, 'endpoint_id'>,
): void => {
  if (logEntry) logEntry.endpointId = endpoint_id;
};

/** Records why a request was rejected (D-36). */
export const setLogRejection = (request: FastifyRequest, { decision, reason, why, endpoint }: GateRejection): void => {
  request.decision = decision;
  if (!request.logEntry) return;
  if (endpoint) setLogEndpoint(request, endpoint);
  Object.assign(request.logEntry, { decision, reason, why });
};

/** Returns the fields that identify a request in a log line. */
export const describeRequest = ({ id, logEntry }: FastifyRequest): { request_id: string; trace_id?: string } => {
  const traceId = logEntry?.traceId;
  return { request_id: id, ...(typeof traceId === 'string' && { trace_id: traceId }) };
};

/** Returns the User-Agent, shortened for the log; null if none was sent. */
export const readUserAgent = (request: FastifyRequest): string | null => {
  const sent = readHeaderText(request, 'user-agent');
  if (sent === undefined || sent.length <= MAX_USER_AGENT) return sent ?? null;
  return Array.from(sent).slice(0, MAX_USER_AGENT).join('');
};

/**
 * Returns the route in the specification's notation. The specification uses `{post_id}` in the route that reads a post,
 * but `{id}` in the routes that change it:
 * `GET /v1/webhooks/{slug}/posts/{post_id}`, `PATCH /v1/webhooks/{slug}/posts/{id}` (D-63).
 */
export const readRoute = ({ method, routeOptions }: FastifyRequest): string => {
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}');
  return `${method} ${method === 'GET' ? path : path.replace('{post_id}', '{id}')}`;
};

/** Returns the time since the request's head arrived, in ms, rounded to hundredths. */
export const measureLatency = ({ arrivedAt }: Pick<FastifyRequest, 'arrivedAt'>): number =>
  Math.round((performance.now() - arrivedAt) * 100) / 100;

/** Records the log entries of answered requests, except those that an event has stored. */
export const recordResponses = (fastify: FastifyInstance, recorder: RequestRecorder): void => {
  fastify.decorateRequest('logEntry', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { logEntry } = request;
    if (logEntry) {
      const decision = logEntry.decision ?? (reply.statusCode < 300 ? 'accepted' : null);
      request.decision = decision ?? '';
      if (decision && logEntry.endpointId !== null && !logEntry.isStored) {
        recorder.record(logEntry.endpointId, {
          request_id: request.id,
          at: request.receivedAt,
          ip: request.clientAddress,
          user_agent: readUserAgent(request),
          route: readRoute(request),
          decision,
          reason: logEntry.reason,
          http_status: reply.statusCode,
          latency_ms: measureLatency(request),
          payload_bytes: measureBody(request),
          trace_id: logEntry.traceId,
          post_id: logEntry.postId,
          why: logEntry.why,
        });
      }
    }
    done();
  });
};
