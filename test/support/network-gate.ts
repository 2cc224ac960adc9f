import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { TEST_CERTIFICATE } from './test-certificate.js';

/** Where a call is held: before its connection is encrypted, so that no byte of it is sent, or on its way. */
export type HoldPoint = 'handshake' | 'request';

/** An https address of a network's stand-in that can hold one call until it is released. */
export class NetworkGate {
  /** True once a call is held. */
  isHolding = false;
  /** True once bytes of the held call have arrived. */
  hasRequest = false;
  /** True once the held call's response was passed on. */
  hasAnswered = false;
  /** True once the held call's connection is closed. */
  isClosed = false;
  private nextHold: HoldPoint | null = null;
  private pass: () => void = () => undefined;
  private readonly sockets = new Set<Socket>();
  private readonly encrypted = createTlsServer(TEST_CERTIFICATE);
  private readonly server: Server;

  private constructor(private readonly target: number) {
    this.server = createServer((socket) => this.accept(socket));
  }

  /** @param url address of the stand-in */
  static async start(url: string): Promise<NetworkGate> {
    const gate = new NetworkGate(Number(new URL(url).port));
    await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as { readonly port: number }).port}`;
  }

  /** Holds the next call. */
  hold(point: HoldPoint): void {
    this.nextHold = point;
  }

  /** Lets the held call pass. */
  release(): void {
    this.pass();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // 'close' follows
    const isHeld = this.nextHold === 'handshake';
    const encrypt = (): void => {
      this.encrypted.once('secureConnection', (client) => this.forward(client, isHeld));
      this.encrypted.emit('connection', socket);
    };
    if (!isHeld) return encrypt();
    this.startHolding(socket, encrypt);
  }

  private startHolding(socket: Socket, pass: () => void): void {
    this.nextHold = null;
    this.isHolding = true;
    this.pass = pass;
    socket.on('close', () => (this.isClosed = true));
  }

  private forward(client: TLSSocket, wasHeld: boolean): void {
    const server = connect(this.target, '127.0.0.1');
    let isHeld = wasHeld;
    let isWaiting = false;
    const waiting: Buffer[] = [];
    client.on('data', (part: Buffer) => {
      if (this.nextHold === 'request') {
        isHeld = isWaiting = true;
        this.startHolding(client, () => {
          isWaiting = false;
          for (const each of waiting.splice(0)) server.write(each);
        });
      }
      if (isHeld) this.hasRequest = true;
      if (isWaiting) waiting.push(part);
      else server.write(part);
    });
    server.on('data', (part) => client.write(part, () => (this.hasAnswered ||= isHeld)));
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  }
}
