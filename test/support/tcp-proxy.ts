import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';

/** A TCP proxy between a program and its server that can break connections, refuse them, or drop responses. */
export class TcpProxy {
  private readonly pairs = new Set<readonly [client: Socket, server: Socket]>();
  private isDroppingResponses = false;

  private constructor(
    private readonly target: { readonly host: string; readonly port: number },
    private readonly server: Server,
    /** Port on 127.0.0.1. */
    readonly port: number,
  ) {
    server.on('connection', (client) => this.forward(client));
  }

  /** Starts forwarding to the server that a URL points at. */
  static async start(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) }, createServer(), await freePort());
    await proxy.accept();
    return proxy;
  }

  /** Returns a URL with the proxy instead of the server. */
  through(url: string): string {
    const { hostname, port } = new URL(url);
    return url.replace(`${hostname}:${port}`, `127.0.0.1:${this.port}`);
  }

  /** Breaks every connection; new ones are accepted. */
  dropConnections(): void {
    for (const sockets of this.pairs) for (const socket of sockets) socket.destroy();
  }

  /** Breaks every connection and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.dropConnections();
    await closed;
  }

  /** Starts accepting connections, on the same port every time. */
  async accept(): Promise<void> {
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
  }

  /** Drops all responses from now on; requests still arrive. */
  dropResponses(): void {
    this.isDroppingResponses = true;
  }

  /** Breaks the connections whose responses were dropped, and forwards responses again. */
  restoreResponses(): void {
    this.isDroppingResponses = false;
    this.dropConnections();
  }

  async stop(): Promise<void> {
    if (this.server.listening) await this.refuse();
  }

  private forward(client: Socket): void {
    const server = connect(this.target);
    const pair = [client, server] as const;
    this.pairs.add(pair);
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      if (!this.isDroppingResponses) client.write(chunk);
    });
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => {
        for (const other of pair) other.destroy();
        this.pairs.delete(pair);
      });
    }
  }
}
