import { Readable } from 'node:stream';
import { createMcpHandler, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import {
  Catch,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getPathPrefix, type Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { LOG, type Log } from '../../kernel/log.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { KeyedPace } from '../../runtime/pace.js';
import { Gate } from '../public/gate/gate.js';
import { bodyRejection } from '../public/gate/rejections.js';
import { readJson } from '../public/payload-check.js';
import { isLarge, outOfMemoryProblem } from '../transport/body-reader.js';
import { ProblemFilter } from '../transport/problem.filter.js';
import { buildProblemView, HttpProblem } from '../transport/problem.view.js';
import { TOOL_SERVER_MESSAGES } from './messages.js';
import { describeCaller, GatewayCalls, type ToolCaller, ToolServer } from './tool-server.js';
import { MessageMemory, ToolSessions } from './tool-sessions.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the JSON-RPC request in a body, if it could be read. */
    messageId?: string | number;
  }
}

/** Error codes of JSON-RPC 2.0, and of MCP for unauthenticated requests. */
const RPC_CODES = { parse: -32_700, invalidRequest: -32_600, unauthorized: -32_001, other: -32_000 } as const;

/** Codes of bodies that are not JSON at all (D-5). */
const UNREADABLE: ReadonlySet<string> = new Set(['not_json', 'not_utf8', 'byte_order_mark', 'empty_body']);

/** Formats errors as JSON-RPC responses whose `data` has the fields of every problem (D-6). */
@Catch()
export class JsonRpcProblemFilter extends ProblemFilter {
  protected override buildBody(problem: HttpProblem, { id, messageId }: FastifyRequest): object {
    const { errors, code, request_id, details } = buildProblemView(problem, id);
    const data = { code, request_id, errors, details };
    return { jsonrpc: '2.0', id: messageId ?? null, error: { code: codeOf(problem), message: errors.join(' '), data } };
  }
}

const codeOf = ({ status, problems }: HttpProblem): number => {
  if (status === 401) return RPC_CODES.unauthorized;
  if (status !== 400) return RPC_CODES.other;
  return UNREADABLE.has(problems[0]?.code ?? '') ? RPC_CODES.parse : RPC_CODES.invalidRequest;
};

/** Maximum number of messages in a batch. Only clients with a protocol version from 2025 send batches. */
const MAX_BATCH = 16;

/** Maximum length of a request id, in characters. Every response repeats the id. */
const MAX_ID_LENGTH = 256;

/**
 * Minimum interval between an owner's messages, in ms, after a burst. Messages that arrive sooner wait (ADR-220). A
 * large message counts as one message per `MESSAGE_BYTES`.
 */
const MESSAGE_INTERVAL_MS = 50;
const MESSAGE_BURST = 100;
const MESSAGE_BYTES = 65_536;

/** An authenticated request from an assistant's client. */
interface Admitted {
  readonly endpoint: EndpointSnapshot;
  readonly caller: ToolCaller;
  /** The parsed body; undefined for GET. */
  readonly message: unknown;
}

/**
 * The assistant tool server (publish-api.md: Assistant tool server; D-39, ADR-162). POST serves the current transport
 * and the streamable transport from 2025, both without sessions; GET opens a session of the older HTTP+SSE transport.
 * Its messages arrive at `messages`.
 */
@Controller('sse/:slug')
@UseFilters(JsonRpcProblemFilter)
export class ToolsController {
  private readonly handler: ReturnType<typeof createMcpHandler>;
  private readonly pace = new KeyedPace(MESSAGE_INTERVAL_MS, MESSAGE_BURST);

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) log: Log,
    private readonly gate: Gate,
    private readonly calls: GatewayCalls,
    private readonly server: ToolServer,
    private readonly sessions: ToolSessions,
  ) {
    this.handler = createMcpHandler(() => server.create(), {
      legacy: 'stateless',
      onerror: (error) => log.debug({ reason: error.message }, 'a message to the assistant tools was refused'),
    });
  }

  @Post()
  @HttpCode(200)
  async receive(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { caller, message } = await this.admit(request, slug);
    if (reply.raw.destroyed)
      caller.memory?.markAnswered(); // the client disconnected while the message waited
    else reply.raw.once('close', () => caller.memory?.markAnswered());
    if (isSubscription(message)) {
      const error = { code: -32_601, message: TOOL_SERVER_MESSAGES.noSubscriptions };
      return void reply.send({ jsonrpc: '2.0', id: request.messageId ?? null, error });
    }
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    const answer = await this.handler.fetch(toFetchRequest(request, this.settings.baseUrl!, closed.signal), {
      parsedBody: message,
      authInfo: describeCaller(caller),
    });
    await sendAnswer(reply, answer);
  }

  @Get()
  async open(@Req() request: FastifyRequest, @Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    const { endpoint, caller } = await this.admit(request, slug);
    const { headers } = request;
    // Clients of newer transports use GET to open a stream of server messages, but this server sends none.
    if (headers['mcp-protocol-version'] !== undefined || headers['mcp-session-id'] !== undefined)
      throw HttpProblem.withMessage(405, 'no_stream', TOOL_SERVER_MESSAGES.noStream, { allow: 'POST' });
    const prefix = getPathPrefix(this.settings);
    const addressOf = (id: string) => `${prefix}/sse/${endpoint.slug}/messages?sessionId=${id}`;
    const transport = await this.sessions.open(endpoint.endpoint_id, caller, this.server.create(), addressOf);
    // A client that half-closes its connection usually gets its response (http-server.ts), but a stream would never
    // end.
    request.raw.socket.once('end', () => void transport.close());
    void reply
      .headers({
        'content-type': 'text/event-stream',
        'x-accel-buffering': 'no', // otherwise nginx buffers the events
      })
      .send(transport.stream);
  }

  /** Receives a message for a session. The response is sent over the session's connection. */
  @Post('messages')
  @HttpCode(202)
  async receiveInSession(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Query('sessionId') sessionId: unknown,
  ): Promise<string> {
    const { endpoint, caller, message } = await this.admit(request, slug);
    try {
      if (typeof sessionId !== 'string')
        throw HttpProblem.withMessage(404, 'unknown_session', TOOL_SERVER_MESSAGES.sessionMissing);
      this.sessions.receive(sessionId, endpoint.endpoint_id, caller, parseMessage(message));
    } catch (error) {
      caller.memory?.markAnswered();
      throw error;
    }
    return 'Accepted';
  }

  @Delete()
  refuseMethod(): never {
    throw HttpProblem.withMessage(405, 'method_not_allowed', TOOL_SERVER_MESSAGES.method, { allow: 'GET, POST' });
  }

  private async admit(request: FastifyRequest, slug: string): Promise<Admitted> {
    this.checkOrigin(request);
    const { endpoint, body } = await this.gate.admitToTools(request, slug);
    await this.pace.wait(endpoint.owner_id, Math.max(1, Math.ceil(body.length / MESSAGE_BYTES)));
    // Messages take turns, so that a burst of messages does not delay posts (ADR-220).
    await yieldToEventLoop();
    const caller = this.calls.readCaller(request, endpoint);
    const message = request.method === 'POST' ? await this.readMessage(request, endpoint, body) : undefined;
    // The requests that tools send have their own log entries.
    request.logEntry = null;
    // Release the body's memory before the tool's own request reserves memory.
    const memory = isLarge(body.length) ? holdMemory(request, endpoint.owner_id, body.length) : null;
    request.bodyReader?.finish();
    return { endpoint, caller: { ...caller, memory }, message };
  }

  /** Parses a body, with the same rules as for all request bodies (D-5, D-43). */
  private async readMessage(request: FastifyRequest, endpoint: EndpointSnapshot, body: Buffer): Promise<unknown> {
    const json = await readJson(body);
    const value = json.ok ? json.value : json.unsafe?.value;
    const id = idOf(value);
    const reject = (status: number, code: string, message: string) =>
      bodyRejection(endpoint, HttpProblem.withMessage(status, code, message));
    if (isLongId(id) || (Array.isArray(value) && value.some((message) => isLongId(idOf(message)))))
      throw reject(400, 'bad_message', TOOL_SERVER_MESSAGES.longId({ limit: MAX_ID_LENGTH }));
    if (typeof id === 'string' || typeof id === 'number') request.messageId = id;
    if (!json.ok) throw bodyRejection(endpoint, new HttpProblem(400, 'invalid_message', json.problems));
    if (Array.isArray(value) && value.length > MAX_BATCH)
      throw reject(413, 'batch_too_large', TOOL_SERVER_MESSAGES.batch({ count: value.length, limit: MAX_BATCH }));
    return value;
  }

  /** Rejects pages from other origins: a browser can reach everything in its user's network (DNS rebinding). */
  private checkOrigin({ headers: { origin } }: FastifyRequest): void {
    const { baseUrl, corsOrigins } = this.settings;
    if (origin === undefined || origin === new URL(baseUrl!).origin || corsOrigins.includes(origin)) return;
    const message = TOOL_SERVER_MESSAGES.originNotAllowed({ origin: JSON.stringify(origin.slice(0, 200)) });
    throw HttpProblem.withMessage(403, 'origin_not_allowed', message);
  }
}

/** @throws HttpProblem 503 if the messages being processed hold too much memory */
const holdMemory = ({ server }: FastifyRequest, ownerId: string, bytes: number): MessageMemory => {
  const reservation = server.requestMemory.toolCalls.reserveHeld(ownerId, bytes);
  if (!reservation) throw outOfMemoryProblem();
  return new MessageMemory(reservation);
};

const idOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;

const isLongId = (id: unknown): boolean => typeof id === 'string' && id.length > MAX_ID_LENGTH;

const isSubscription = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'method' in message && message.method === 'subscriptions/listen';

const parseMessage = (value: unknown): JSONRPCMessage => {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    throw HttpProblem.withMessage(400, 'bad_message', TOOL_SERVER_MESSAGES.badMessage);
  }
};

/** Converts a request to a `Request` for the SDK; its body is passed separately. */
const toFetchRequest = ({ headers, method, url }: FastifyRequest, baseUrl: string, signal: AbortSignal): Request => {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) if (name !== 'content-length') sent.append(name, one);
  return new Request(new URL(url, baseUrl), { method, headers: sent, signal });
};

const sendAnswer = async (reply: FastifyReply, answer: Response): Promise<void> => {
  answer.headers.delete('cache-control'); // every answer to a token is `no-store` (D-88)
  void reply.code(answer.status).headers(Object.fromEntries(answer.headers));
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (answer.body && isStream) void reply.send(Readable.fromWeb(answer.body));
  else void reply.send(await answer.text());
};
