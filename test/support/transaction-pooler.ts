import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** One session of the server, and the client that it currently serves. */
interface Session {
  readonly socket: Socket;
  client: Client | null;
}

interface Client {
  readonly socket: Socket;
  session: Session | null;
  isLoggedIn: boolean;
}

/**
 * A pooler in transaction mode in front of PostgreSQL, like PgBouncer: each transaction of a client gets the session of
 * the server that became free last. A client logs in to the server itself; from then on, its session serves every
 * client.
 */
export class TransactionPooler {
  private readonly free: Session[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: { readonly host: string; readonly port: number },
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('connection', (socket) => this.serve(socket));
  }

  /** Starts a pooler in front of the server that a URL points at. */
  static async start(url: string): Promise<TransactionPooler> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new TransactionPooler(
      { host: hostname, port: Number(port) },
      server,
      (server.address() as AddressInfo).port,
    );
  }

  /** Returns a URL with the pooler instead of the server. */
  through(url: string): string {
    const { hostname, port } = new URL(url);
    return url.replace(`${hostname}:${port}`, `127.0.0.1:${this.port}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private serve(socket: Socket): void {
    this.track(socket);
    const client: Client = { socket, session: null, isLoggedIn: false };
    this.openSession(client);
    socket.on('data', (chunk) => {
      if (client.isLoggedIn && chunk[0] === TERMINATE) return void socket.end();
      client.session ??= this.takeFree(client);
      client.session.socket.write(chunk);
    });
  }

  private openSession(client: Client): void {
    const session: Session = { socket: connect(this.target), client };
    this.track(session.socket);
    client.session = session;
    let rest = Buffer.alloc(0);
    session.socket.on('data', (chunk) => {
      session.client?.socket.write(chunk);
      rest = Buffer.concat([rest, chunk]);
      for (; rest.length >= 5 && rest.length > rest.readInt32BE(1); rest = rest.subarray(1 + rest.readInt32BE(1)))
        if (rest[0] === READY_FOR_QUERY && rest[5] === IDLE) this.release(session);
    });
  }

  private release(session: Session): void {
    const { client } = session;
    if (client === null) return;
    client.isLoggedIn = true;
    client.session = null;
    session.client = null;
    this.free.push(session);
  }

  private takeFree(client: Client): Session {
    const session = this.free.pop();
    if (!session) throw new Error('all sessions are in a transaction: this pooler lets no client wait');
    session.client = client;
    return session;
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => this.sockets.delete(socket));
  }
}
