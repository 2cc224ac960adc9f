import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { CLOCK, type Clock, type Instant } from '../../kernel/clock.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { type BrandHeaders, nameHeaders } from '../public/gate/authentication.js';
import { measureLatency, readRoute, readUserAgent, RequestRecorder } from '../public/gate/request-recorder.js';
import { sign } from '../transport/credentials.js';
import { measureBody } from '../transport/raw-body.js';
import type { MessageMemory } from './tool-sessions.js';

/** The client that made a tool call, with details of the HTTP request. */
export interface ToolCaller {
  readonly endpointId: string;
  readonly slug: string;
  /** Address of the assistant's client, to which the endpoint's allowlist applies. */
  readonly address: string;
  readonly authorization: string;
  /** The endpoint's signing secret; null if the client sent none. */
  readonly secret: string | null;
  readonly userAgent: string | null;
  readonly requestId: string;
  readonly receivedAt: Instant;
  /** Such as `POST /sse/{slug}`. */
  readonly route: string;
  readonly bytes: number;
  /** The memory reserved for a large message; null for a small message. */
  readonly memory: MessageMemory | null;
}

/** A request to `/v1` on behalf of a caller. */
export interface GatewayCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Such as `/v1/sandbox/test`. */
  readonly path: string;
  /** Absent for GET and DELETE. */
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** Revision at which the post has to be. */
  readonly ifRevision?: number;
  /** Name of the tool, for the request log. */
  readonly tool: string;
}

/** A response from `/v1`. */
export interface GatewayAnswer {
  readonly status: number;
  /** Seconds until a retry may succeed; null if the response has no Retry-After header. */
  readonly retryAfter: number | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Sends requests to the public API within the process (ADR-161): a tool call has the same limits, idempotency, events
 * and request-log entries as a client's own request.
 */
@Injectable()
export class GatewayCalls {
  private readonly names: BrandHeaders;

  constructor(
    private readonly adapters: HttpAdapterHost,
    @Inject(SETTINGS) { brand }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.names = nameHeaders(brand);
  }

  /** Reads the caller of a request that the gate admitted to an endpoint. */
  readCaller(request: FastifyRequest, { endpoint_id, slug }: EndpointSnapshot): ToolCaller {
    const { headers, clientAddress } = request;
    const secret = headers[this.names.secret];
    return {
      endpointId: endpoint_id,
      slug,
      address: clientAddress,
      authorization: headers.authorization ?? '',
      secret: typeof secret === 'string' && secret !== '' ? secret.trim() : null,
      userAgent: readUserAgent(request),
      requestId: request.id,
      receivedAt: request.receivedAt,
      route: readRoute(request),
      bytes: measureBody(request),
      memory: null,
    };
  }

  /** Sends a request and waits for the response. An error response does not reject the promise. */
  async send(caller: ToolCaller, call: GatewayCall): Promise<GatewayAnswer> {
    const fastify = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    if (caller.memory) await yieldToEventLoop();
    const payload = call.body === undefined ? null : JSON.stringify(call.body);
    const { statusCode, headers, body } = await fastify.inject({
      method: call.method,
      url: call.path,
      remoteAddress: caller.address,
      headers: this.buildHeaders(caller, call, payload),
      ...(payload !== null && { payload }),
    });
    const retryAfter = headers['retry-after'];
    return {
      status: statusCode,
      retryAfter: retryAfter === undefined ? null : Number(retryAfter),
      body: JSON.parse(body) as GatewayAnswer['body'],
    };
  }

  private buildHeaders(caller: ToolCaller, call: GatewayCall, payload: string | null): Record<string, string> {
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    const head = `${call.method}\n${call.path}\n${timestamp}`;
    const namesPost = call.path.includes('/posts/');
    const signed = payload === null ? head : namesPost ? `${head}\n${payload}` : payload; // D-102
    return {
      authorization: caller.authorization,
      'user-agent': asHeader(nameAgent(caller, call.tool)),
      [this.names.timestamp]: timestamp,
      ...(payload !== null && { 'content-type': 'application/json' }),
      ...(caller.secret !== null && { [this.names.signature]: sign([signed], caller.secret).toString('hex') }),
      ...(call.ifRevision !== undefined && { 'if-match': `"${call.ifRevision}"` }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': asHeader(call.idempotencyKey) }),
    };
  }
}

/** Returns the user agent of a tool call for the request log. */
export const nameAgent = ({ userAgent }: ToolCaller, tool: string): string =>
  userAgent === null ? `(tool ${tool})` : `${userAgent} (tool ${tool})`;

/** Encodes text the way Node presents headers received over the network: UTF-8 bytes decoded as Latin-1. */
const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A tool call that was refused before it became a request to `/v1`. */
export interface RefusedCall {
  readonly tool: string;
  /** The cause; snake_case. */
  readonly reason: 'unknown_tool' | 'invalid_arguments' | 'invalid_targets';
  /** Start time: `performance.now()` timestamp, in ms. */
  readonly startedAt: number;
}

/**
 * Writes refused tool calls to the request log of their endpoint (D-33). A tool result has no HTTP status, so an entry
 * gets the status of a request with the same error.
 */
@Injectable()
export class RefusedCalls {
  constructor(private readonly recorder: RequestRecorder) {}

  /** Adds an entry. Never throws, never waits. */
  record(caller: ToolCaller, { tool, reason, startedAt }: RefusedCall): void {
    this.recorder.record(caller.endpointId, {
      request_id: caller.requestId,
      at: caller.receivedAt,
      ip: caller.address,
      user_agent: nameAgent(caller, tool),
      route: caller.route,
      decision: 'rejected_validation',
      reason,
      http_status: reason === 'unknown_tool' ? 404 : 422,
      latency_ms: measureLatency({ arrivedAt: startedAt }),
      payload_bytes: caller.bytes,
      trace_id: null,
      post_id: null,
      why: { rule: reason, figures: { tool }, event_id: null },
    });
  }
}
