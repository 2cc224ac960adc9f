import { readFileSync } from 'node:fs';
import {
  type AuthInfo,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
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
import { sign } from '../transport/headers.js';
import { measureBody } from '../transport/raw-body.js';
import { TOOL_DESCRIPTIONS, TOOL_SERVER_MESSAGES } from './messages.js';
import type { MessageMemory } from './tool-sessions.js';
import { discoverTool, pauseTool, resumeTool } from './tools/endpoint.tools.js';
import {
  cancelTool,
  editTool,
  postStatusTool,
  publishTool,
  rescheduleTool,
  sandboxTool,
  withdrawTool,
} from './tools/posts.tools.js';
import { RefusedArguments, type Tool, ToolError, type ToolNames } from './tools/tool.js';

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

/** Returns the names of the tools. @param brand their prefix (D-34) */
export const nameTools = (brand: string): ToolNames => ({
  discover: `${brand}_discover`,
  publish: `${brand}_publish`,
  pause: `${brand}_pause`,
  resume: `${brand}_resume`,
  sandbox: `${brand}_sandbox`,
  status: `${brand}_post_status`,
  reschedule: `${brand}_reschedule`,
  cancel: `${brand}_cancel`,
  edit: `${brand}_edit`,
  withdraw: `${brand}_withdraw`,
});

/** Creates the assistant tools (D-39). */
export const createTools = (names: ToolNames): readonly Tool[] => [
  discoverTool(names),
  publishTool(names),
  pauseTool(names),
  resumeTool(names),
  sandboxTool(names),
  postStatusTool(names),
  rescheduleTool(names),
  cancelTool(names),
  editTool(names),
  withdrawTool(names),
];

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** Maximum length of an unknown tool's name in errors and logs, in UTF-16 units; longer names are cut. */
const MAX_NAME = 64;

/** Creates Model Context Protocol servers with the tools of D-39. */
@Injectable()
export class ToolServer {
  private readonly tools: readonly Tool[];
  private readonly instructions: string;

  constructor(
    private readonly calls: GatewayCalls,
    private readonly refused: RefusedCalls,
    @Inject(SETTINGS) { brand }: Settings,
  ) {
    const names = nameTools(brand);
    this.tools = createTools(names);
    this.instructions = TOOL_DESCRIPTIONS.instructions(names);
  }

  /** Creates a server for one request or one session. Each message carries its caller. */
  create(): Server {
    const { instructions } = this;
    const server = new Server({ name: 'crosspost', version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({ tools: this.tools.map(({ definition }) => definition) }));
    server.setRequestHandler('tools/call', ({ params }, { http }) => {
      const caller = readCaller(http?.authInfo);
      const call = () => this.callTool(params.name, params.arguments, caller);
      return caller.memory ? caller.memory.during(call) : call();
    });
    return server;
  }

  private async callTool(name: string, args: unknown, caller: ToolCaller): Promise<CallToolResult> {
    const startedAt = performance.now();
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (!tool) {
      this.refused.record(caller, { tool: name.slice(0, MAX_NAME), reason: 'unknown_tool', startedAt });
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, this.describeUnknownTool(name));
    }
    try {
      const { text, structured } = await tool.call(
        args ?? {},
        (call) => this.calls.send(caller, { ...call, tool: name }),
        caller.slug,
      );
      return {
        content: [
          { type: 'text', text },
          { type: 'text', text: JSON.stringify(structured) },
        ],
        structuredContent: structured,
      };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error instanceof RefusedArguments && !tool.isSandbox)
        this.refused.record(caller, { tool: name, reason: error.reason, startedAt });
      const details = error.details && { type: 'text' as const, text: JSON.stringify(error.details) };
      return { content: [{ type: 'text', text: error.message }, ...(details ? [details] : [])], isError: true };
    }
  }

  private describeUnknownTool(name: string): string {
    const tools = this.tools.map(({ definition }) => definition.name).join(', ');
    return TOOL_SERVER_MESSAGES.unknownTool({ name: JSON.stringify(name.slice(0, MAX_NAME)), tools });
  }
}

/** Wraps a caller in the form that the SDK passes to handlers. */
export const describeCaller = (caller: ToolCaller): AuthInfo => ({
  token: '',
  clientId: caller.slug,
  scopes: [],
  extra: { caller },
});

const readCaller = (authInfo: AuthInfo | undefined): ToolCaller => {
  const caller = authInfo?.extra?.caller;
  if (!caller) throw new Error('a tool was called without a caller');
  return caller as ToolCaller;
};
