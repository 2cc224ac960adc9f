import { hash, randomBytes } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import type { AuthInfo, JSONRPCMessage, RequestId, Server, Transport } from '@modelcontextprotocol/server';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { MemoryReservation } from '../../runtime/memory-budget.js';
import { HttpProblem } from '../transport/problem.view.js';
import { TOOL_SERVER_MESSAGES } from './messages.js';
import { describeCaller, type ToolCaller } from './tool-server.js';

/** Maximum number of unread bytes. If the client has more, the next write closes the connection instead. */
const MAX_UNREAD_BYTES = 262_144;

/**
 * The connection of a client that uses the older HTTP+SSE transport: responses are sent as events in one long HTTP
 * response, and messages arrive as separate requests (ADR-162).
 */
export class SseTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Number of unanswered requests. */
  unanswered = 0;
  private readonly output = new PassThrough();
  /** Memory reserved for unanswered requests, by request id. */
  private readonly held = new Map<RequestId, MessageMemory>();

  /** @param address where the client sends its messages, relative to the server */
  constructor(address: string) {
    this.writeEvent('endpoint', address);
    this.output.on('close', () => {
      for (const memory of this.held.values()) memory.markAnswered();
      this.onclose?.();
    });
  }

  /** The body of the response. It ends with the connection. */
  get stream(): Readable {
    return this.output;
  }

  /** Does nothing: the response is already open. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Number of bytes that the client has not read yet. */
  get unreadBytes(): number {
    return this.output.writableLength + this.output.readableLength;
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.end(message);
    this.writeEvent('message', JSON.stringify(message));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.output.end();
    this.output.destroy();
    return Promise.resolve();
  }

  /** Forwards a client's message to the server. @param memory null for a small message */
  receive(message: JSONRPCMessage, memory: MessageMemory | null, authInfo: AuthInfo): void {
    if ('method' in message && 'id' in message) {
      this.unanswered += 1;
      this.held.get(message.id)?.markAnswered(); // the client has repeated an id
      if (memory) this.held.set(message.id, memory);
    } else memory?.markAnswered();
    this.onmessage?.(message, { authInfo });
  }

  /** Writes a comment so that proxies keep an idle connection open. */
  keepAlive(): void {
    this.write(': keep-alive\n\n');
  }

  private end(answer: JSONRPCMessage): void {
    this.unanswered -= 1;
    if (!('id' in answer) || answer.id === undefined) return;
    this.held.get(answer.id)?.markAnswered();
    this.held.delete(answer.id);
  }

  private writeEvent(event: string, data: string): void {
    this.write(`event: ${event}\ndata: ${data}\n\n`);
  }

  private write(text: string): void {
    if (this.output.destroyed) return;
    // Checked before writing, so a client that keeps reading can receive a message of any size.
    if (this.unreadBytes > MAX_UNREAD_BYTES) this.output.destroy();
    else this.output.write(text);
  }
}

/** Maximum number of connections per endpoint and per process, and of unread bytes per process. */
const SESSION_LIMITS = { perEndpoint: 200, perProcess: 2_000, unreadBytes: 67_108_864 };
/** Maximum number of unanswered requests in a session. */
const MAX_UNANSWERED = 16;
/** Interval between comments that keep idle connections open through proxies, in ms. */
const KEEP_ALIVE_MS = 20_000;
/** How long a connection may go without a message before it is closed, in ms. */
const MAX_IDLE_MS = 3_600_000;

interface Session {
  readonly endpointId: string;
  /** SHA-256 of the Authorization header that opened the session. */
  readonly owner: string;
  readonly transport: SseTransport;
  /** Time of the last message: `performance.now()` timestamp, in ms. */
  usedAt: number;
}

/**
 * Sessions of the older HTTP+SSE transport. A session is one open connection and belongs to one endpoint and one token.
 * It ends when the connection closes, after an hour without a message, or when the process stops.
 */
@Injectable()
export class ToolSessions implements BeforeApplicationShutdown {
  private readonly sessions = new Map<string, Session>();
  private readonly perEndpoint = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  get size(): number {
    return this.sessions.size;
  }

  /**
   * @param addressOf returns the address to which a session's messages are sent
   * @throws HttpProblem 503 if the maximum number of sessions is open
   */
  async open(
    endpointId: string,
    caller: ToolCaller,
    server: Server,
    addressOf: (sessionId: string) => string,
  ): Promise<SseTransport> {
    this.requireRoom(endpointId);
    const id = randomBytes(24).toString('base64url');
    const transport = new SseTransport(addressOf(id));
    this.sessions.set(id, { endpointId, owner: ownerOf(caller), transport, usedAt: performance.now() });
    this.count(endpointId, 1);
    this.timer ??= setInterval(() => this.tick(), KEEP_ALIVE_MS).unref();
    transport.stream.once('close', () => {
      this.sessions.delete(id);
      this.count(endpointId, -1);
      if (this.sessions.size === 0) this.stopTimer();
    });
    await server.connect(transport);
    return transport;
  }

  /**
   * Passes a message to its session.
   * @throws HttpProblem 404 unless the session is open in this process, for this endpoint and this token; 429 if it is
   * busy
   */
  receive(sessionId: string, endpointId: string, caller: ToolCaller, message: JSONRPCMessage): void {
    const session = this.sessions.get(sessionId);
    // The response is the same for every cause, so that it reveals nothing about other clients' sessions.
    if (!session || session.endpointId !== endpointId || session.owner !== ownerOf(caller))
      throw HttpProblem.withMessage(404, 'unknown_session', TOOL_SERVER_MESSAGES.unknownSession);
    if (session.transport.unanswered >= MAX_UNANSWERED)
      throw HttpProblem.withRetryAfter(1, 429, 'too_many_calls', TOOL_SERVER_MESSAGES.busy({ limit: MAX_UNANSWERED }));
    session.usedAt = performance.now();
    this.closeUnreadSessions();
    session.transport.receive(message, caller.memory, describeCaller(caller));
  }

  /** Ends all sessions, because the server would otherwise wait for them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopTimer();
    await Promise.all([...this.sessions.values()].map(({ transport }) => transport.close()));
  }

  /** Closes the connections with the most unread bytes until the process is within its limit. */
  private closeUnreadSessions(): void {
    const transports = [...this.sessions.values()].map(({ transport }) => transport);
    let unread = transports.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
    if (unread <= SESSION_LIMITS.unreadBytes) return;
    for (const transport of transports.toSorted((a, b) => b.unreadBytes - a.unreadBytes)) {
      if (unread <= SESSION_LIMITS.unreadBytes) return;
      unread -= transport.unreadBytes;
      void transport.close();
    }
  }

  private requireRoom(endpointId: string): void {
    const { perEndpoint, perProcess } = SESSION_LIMITS;
    const reject = (message: string): never => {
      throw HttpProblem.withRetryAfter(30, 503, 'too_many_sessions', message);
    };
    if ((this.perEndpoint.get(endpointId) ?? 0) >= perEndpoint)
      reject(TOOL_SERVER_MESSAGES.sessionsOfEndpoint({ limit: perEndpoint }));
    if (this.sessions.size >= perProcess) reject(TOOL_SERVER_MESSAGES.sessions({ limit: perProcess }));
  }

  private count(endpointId: string, change: 1 | -1): void {
    const count = (this.perEndpoint.get(endpointId) ?? 0) + change;
    if (count > 0) this.perEndpoint.set(endpointId, count);
    else this.perEndpoint.delete(endpointId);
  }

  private tick(): void {
    const idleSince = performance.now() - MAX_IDLE_MS;
    for (const { transport, usedAt } of this.sessions.values()) {
      if (usedAt < idleSince) void transport.close();
      else transport.keepAlive();
    }
  }

  private stopTimer(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}

const ownerOf = ({ authorization }: ToolCaller): string => hash('sha256', authorization);

/**
 * The memory reserved for a large message. It is released once the message is answered and all of its tool calls have
 * finished, because a call continues even if the client disconnects.
 */
export class MessageMemory {
  private running = 0;
  private isAnswered = false;

  constructor(private readonly reservation: MemoryReservation) {}

  /** Runs a tool call of the message. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await call();
    } finally {
      this.running -= 1;
      this.releaseUnused();
    }
  }

  /** Marks the message as answered or its client as disconnected. */
  markAnswered(): void {
    this.isAnswered = true;
    this.releaseUnused();
  }

  private releaseUnused(): void {
    if (this.isAnswered && this.running === 0) this.reservation.release();
  }
}
