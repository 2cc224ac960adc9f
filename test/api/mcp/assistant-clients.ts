import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientOf2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseOf2025 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as StreamableOf2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { openSocket } from '../transport/raw-http.js';

/** The result of a tool call. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each tool has its own fields
  readonly structuredContent?: any;
}

/** An assistant, whatever its client's generation and transport. */
export interface Assistant {
  /** Revision of the protocol; null if the client does not expose it. */
  readonly revision: string | null;
  listTools(): Promise<
    readonly { readonly name: string; readonly inputSchema: object; readonly outputSchema?: object }[]
  >;
  call(name: string, args?: object): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Returns the headers that an endpoint's assistants send. */
export const headersOf = (token: string, more: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...more,
});

const INFO = { name: 'test assistant', version: '1.0.0' };

/** Clients of the official SDKs, by their names: how each connects. */
export const CLIENTS = {
  'the current client over the current transport': (url: string, headers: Record<string, string>) =>
    connectCurrent(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), 'auto'),
  'the current client over the transport of 2025': (url: string, headers: Record<string, string>) =>
    connectCurrent(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), 'legacy'),
  'the current client over SSE': (url: string, headers: Record<string, string>) =>
    connectCurrent(new SSEClientTransport(new URL(url), { requestInit: { headers } }), 'legacy'),
  'the client of 2025 over its transport': (url: string, headers: Record<string, string>) =>
    connectOf2025(new StreamableOf2025(new URL(url), { requestInit: { headers } })),
  'the client of 2025 over SSE': (url: string, headers: Record<string, string>) =>
    connectOf2025(new SseOf2025(new URL(url), { requestInit: { headers } })),
} satisfies Record<string, (url: string, headers: Record<string, string>) => Promise<Assistant>>;

const connectCurrent = async (
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  mode: 'auto' | 'legacy',
): Promise<Assistant> => {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion() ?? null,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => await client.callTool({ name, arguments: args as Record<string, unknown> }),
    close: () => client.close(),
  };
};

const connectOf2025 = async (transport: StreamableOf2025 | SseOf2025): Promise<Assistant> => {
  const client = new ClientOf2025(INFO);
  await client.connect(transport);
  return {
    revision: null,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args as Record<string, unknown> })) as ToolResult,
    close: () => client.close(),
  };
};

/** An open stream whose messages are not read. */
export interface HeldStream {
  readonly socket: Socket;
  /** First line of the answer. */
  readonly begin: string;
}

/** Opens a message stream without an SDK client, which would take several times as long. */
export const holdStream = async (url: string, headers: Readonly<Record<string, string>>): Promise<HeldStream> => {
  const socket = await openSocket(url);
  const lines = Object.entries({ host: 'x', accept: 'text/event-stream', ...headers }).map((line) => line.join(': '));
  socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return { socket, begin: String((await once(socket, 'data'))[0]).split('\r\n')[0]! };
};

/** A client of the old HTTP+SSE transport that uses fetch alone, as clients did before there was an SDK. */
export class RawSseClient {
  private text = '';
  private ended = false;
  private lastId = 0;

  private constructor(
    readonly response: Response,
    private readonly origin: string,
    private readonly headers: Record<string, string>,
    private readonly aborter: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<RawSseClient> {
    const aborter = new AbortController();
    const response = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: aborter.signal,
    });
    const client = new RawSseClient(response, new URL(url).origin, headers, aborter);
    if (response.ok) void client.read();
    return client;
  }

  /** Address for messages. */
  async messagesUrl(): Promise<string> {
    return this.origin + (await this.waitFor(/^event: endpoint\ndata: (.*)$/m))[1]!;
  }

  /** Sends a request, and waits for its answer on the stream. */
  async request(
    method: string,
    params: object = {},
  ): Promise<{ readonly result?: ToolResult; readonly error?: object }> {
    const id = ++this.lastId;
    const posted = await this.post({ jsonrpc: '2.0', id, method, params });
    if (posted.status !== 202) throw new Error(`${posted.status} ${await posted.text()}`);
    const [, data] = await this.waitFor(new RegExp(`^data: (.*"id":${id}[,}].*)$`, 'm'));
    return JSON.parse(data!) as { result?: ToolResult };
  }

  async post(message: object | string, headers = this.headers): Promise<Response> {
    return fetch(await this.messagesUrl(), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }

  /** True if the server has ended the connection. */
  get isEnded(): boolean {
    return this.ended;
  }

  close(): void {
    this.aborter.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // closed by the test
    }
    this.ended = true;
  }

  private async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found) return found;
      if (this.ended) throw new Error(`the stream ended without ${pattern}: ${this.text}`);
      await sleep(5);
    }
  }
}
