import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SelfSigned } from './certificate.js';

/** A file that is not in memory: it produces bytes on demand. */
export interface ServedFile {
  readonly size: number;
  read(start: number, end: number): Buffer;
}

/** Options of a served file. */
export interface Serving {
  /** Treatment of `Range`; `ignored` sends the whole file. */
  readonly ranges?: 'honoured' | 'ignored';
  /** False for a chunked answer. */
  readonly contentLength?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A host on a loopback address that counts requests and sent bytes. */
export class TestHost {
  readonly requests: { readonly path: string; readonly range: string | undefined }[] = [];
  readonly connections = { count: 0 };
  bytesSent = 0;
  private readonly sockets = new Set<Socket>();
  private readonly routes = new Map<string, RequestListener>();

  private constructor(
    private readonly server: Server,
    /** `http://127.0.0.1:12345` */
    readonly origin: string,
    readonly port: number,
  ) {}

  static async start({ tls, address = '127.0.0.1' }: { tls?: SelfSigned; address?: string } = {}): Promise<TestHost> {
    const server = tls ? createTlsServer({ key: tls.key, cert: tls.cert }) : createServer();
    await once(server.listen(0, address), 'listening');
    const { port } = server.address() as AddressInfo;
    const host = new TestHost(server, `${tls ? 'https' : 'http'}://${address}:${port}`, port);
    server.on('connection', (socket: Socket) => {
      host.connections.count++;
      host.sockets.add(socket);
      socket.on('close', () => host.sockets.delete(socket)).on('error', () => undefined);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      host.requests.push({ path, range: request.headers.range });
      const listener = host.routes.get(path);
      if (listener) listener(request, response);
      else response.writeHead(404).end('nothing here');
    });
    return host;
  }

  /** Answers a path; returns its URL. */
  on(path: string, listener: RequestListener): string {
    this.routes.set(path, listener);
    return `${this.origin}${path}`;
  }

  /** Serves a file at a path; returns its URL. */
  serve(path: string, file: ServedFile | Buffer, how: Serving = {}): string {
    const { ranges = 'honoured', contentLength = true, headers = {} } = how;
    const served = Buffer.isBuffer(file) ? inMemory(file) : file;
    return this.on(path, (request, response) => {
      const asked = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      let [start, end] = [0, served.size];
      if (asked && ranges === 'honoured') {
        [start, end] = [Number(asked[1]), Math.min(Number(asked[2]) + 1, served.size)];
        if (start >= served.size) return response.writeHead(416, { 'content-range': `bytes */${served.size}` }).end();
        response.setHeader('content-range', `bytes ${start}-${end - 1}/${served.size}`);
        response.statusCode = 206;
      }
      if (contentLength) response.setHeader('content-length', end - start);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      void this.send(response, served, start, end);
    });
  }

  /** Returns the URL of a path under another name of this host. */
  as(hostname: string, path: string): string {
    return `${this.origin.split('://')[0]}://${hostname}:${this.port}${path}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private async send(response: ServerResponse, file: ServedFile, start: number, end: number): Promise<void> {
    for (let at = start; at < end && !response.destroyed;) {
      const chunk = file.read(at, Math.min(end, at + 65_536));
      at += chunk.length;
      this.bytesSent += chunk.length;
      if (!response.write(chunk)) await drained(response);
    }
    response.end();
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

const inMemory = (bytes: Buffer): ServedFile => ({
  size: bytes.length,
  read: (start, end) => bytes.subarray(start, end),
});

/** Makes a file of some length with given first and last bytes and zeros between them. */
export const sparse = (size: number, head: Buffer, tail: Buffer = Buffer.alloc(0)): ServedFile => ({
  size,
  read(start, end) {
    const bytes = Buffer.alloc(end - start);
    if (start < head.length) head.copy(bytes, 0, start, Math.min(end, head.length));
    const tailAt = size - tail.length;
    if (end > tailAt) tail.copy(bytes, Math.max(0, tailAt - start), Math.max(0, start - tailAt), end - tailAt);
    return bytes;
  },
});
