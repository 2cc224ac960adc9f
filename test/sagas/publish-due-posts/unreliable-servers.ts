import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** An address at which a network cannot be reached properly. */
export interface UnreliableServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const listen = async (onSocket: (socket: Socket) => void, scheme = 'http'): Promise<UnreliableServer> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n';

type Kinds = Readonly<Record<string, () => Promise<UnreliableServer>>>;

/** Addresses to which nothing can be sent. */
export const UNREACHABLE: Kinds = {
  'a host that no name server knows': async () => ({ url: 'http://no-such-host.invalid', stop: async () => undefined }),
  'a port without a listener': async () => {
    const server = await listen(() => undefined);
    await server.stop();
    return { url: server.url, stop: async () => undefined };
  },
  'a TLS handshake that fails': () => listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'https'),
};

/** Addresses to which a call can be sent, but from which no answer returns. */
export const UNRESPONSIVE: Kinds = {
  'a connection that is reset': () => listen((socket) => socket.once('data', () => socket.resetAndDestroy())),
  'an answer of another protocol': () => listen((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n'))),
  'an answer that never comes': () => listen((socket) => socket.resume()),
  'an answer that arrives byte by byte': () =>
    listen((socket) => {
      socket.once('data', () => socket.write(HEAD));
      const timer = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(timer));
    }),
};
