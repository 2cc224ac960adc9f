import { PassThrough, type Readable } from 'node:stream';
import type { AuthInfo, JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { MessageMemory } from './message-memory.js';

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
