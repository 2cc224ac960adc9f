import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { headerText } from '../../transport/header-text.js';
import { bodySizeOf } from '../../transport/raw-body.js';
import type { Decision, Refusal } from './refusal.js';
import type { RequestRecorder } from './request-recorder.js';

/** What an endpoint's log will say of a request (D-33), beside what every request has; filled in on its way. */
export interface RequestNotes {
  /** Null until an endpoint is found; what reaches none is in the service's own log alone (D-14). */
  endpointId: string | null;
  /** Of the body, where it could be read. */
  traceId: string | null;
  postId: string | null;
  /** Null: accepted, if it comes to that. */
  decision: Decision | null;
  reason: string | null;
  why: JsonObject | null;
  /** The event of an accepted post brings its line along. */
  isStored: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where no endpoint's log is concerned: the sandbox (D-44), and everything outside /v1/webhooks. */
    notes: RequestNotes | null;
  }
}

/** Characters. */
const MAX_USER_AGENT = 500;

/** Begins to take notes of a request to an endpoint. */
export const takeNotes = (request: FastifyRequest): void => {
  request.notes = {
    endpointId: null,
    traceId: null,
    postId: null,
    decision: null,
    reason: null,
    why: null,
    isStored: false,
  };
};

/** Notes whose log will tell of a request. */
export const noteEndpoint = ({ notes }: FastifyRequest, { endpoint_id }: Pick<EndpointAccess, 'endpoint_id'>): void => {
  if (notes) notes.endpointId = endpoint_id;
};

/** Notes why a request is turned away (D-36). */
export const noteRefusal = (request: FastifyRequest, { decision, reason, why, endpoint }: Refusal): void => {
  request.decision = decision;
  if (!request.notes) return;
  if (endpoint) noteEndpoint(request, endpoint);
  Object.assign(request.notes, { decision, reason, why: why ?? { rule: reason, figures: {}, event_id: null } });
};

/** The User-Agent as it is kept; null where none was sent. */
export const userAgentOf = (request: FastifyRequest): string | null => {
  const sent = headerText(request, 'user-agent');
  if (sent === undefined || sent.length <= MAX_USER_AGENT) return sent ?? null;
  return Array.from(sent).slice(0, MAX_USER_AGENT).join('');
};

/** The route as the specification writes it: `POST /v1/webhooks/{slug}`. */
export const routeOf = ({ method, routeOptions }: FastifyRequest): string =>
  `${method} ${(routeOptions.url ?? '').replace(':slug', '{slug}')}`;

/** Milliseconds since the request's head arrived, to the hundredth. */
export const latencyOf = ({ arrivedAt }: FastifyRequest): number =>
  Math.round((performance.now() - arrivedAt) * 100) / 100;

/** Hands the notes of every answered request to its endpoint's log. */
export const recordAnswers = (fastify: FastifyInstance, recorder: RequestRecorder, clock: Clock): void => {
  fastify.decorateRequest('notes', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { notes } = request;
    if (notes) {
      const decision = notes.decision ?? (reply.statusCode < 300 ? 'accepted' : null);
      request.decision = decision ?? '';
      if (decision && notes.endpointId !== null && !notes.isStored) {
        recorder.record(notes.endpointId, {
          request_id: request.id,
          at: clock.now() - Math.ceil(latencyOf(request)),
          ip: request.clientAddress,
          user_agent: userAgentOf(request),
          route: routeOf(request),
          decision,
          reason: notes.reason,
          http_status: reply.statusCode,
          latency_ms: latencyOf(request),
          payload_bytes: bodySizeOf(request),
          trace_id: notes.traceId,
          post_id: notes.postId,
          why: notes.why,
        });
      }
    }
    done();
  });
};
