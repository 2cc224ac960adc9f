import { createServer, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange with a network, as seen on the wire. */
export interface RelayedCall {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Response of the network. */
export interface RelayedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Observer of the traffic between a publisher and its network. */
export interface Bystander {
  /**
   * Called before the network receives the call. If it returns false, the call is dropped and the connection breaks.
   */
  readonly asked?: (call: RelayedCall) => boolean | Promise<boolean>;
  /** Called after the network has responded. If it returns false, the response is dropped and the connection breaks. */
  readonly answered?: (call: RelayedCall, answer: RelayedAnswer) => boolean | Promise<boolean>;
}

/** A relay in front of a network, which can observe and interrupt traffic. Upload URLs go through it too. */
export interface Relay {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a relay in front of the network at `target`. It buffers each whole message in memory. */
export const startRelay = async (target: string, { asked, answered }: Bystander): Promise<Relay> => {
  const server = createServer((request, response) => {
    const relay = async (): Promise<void> => {
      const call: RelayedCall = {
        method: request.method ?? '',
        path: request.url ?? '/',
        headers: request.headers,
        body: await wholeOf(request),
      };
      if (asked && !(await asked(call))) return void response.destroy();
      const answer = await passOn(target, call);
      if (answered && !(await answered(call, answer))) return void response.destroy();
      const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
      response.writeHead(answer.status, headers).end(answer.body);
    };
    relay().catch(() => response.destroy());
  });
  // Longer than a client keeps an idle connection, which otherwise could break just as it is used again.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** Keeps the relay's Host header, so that the network returns URLs of the relay. */
const passOn = (target: string, { method, path, headers, body }: RelayedCall): Promise<RelayedAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(target + path, { method, headers }, (incoming) => {
      wholeOf(incoming).then(
        (bytes) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes }),
        reject,
      );
    });
    outgoing.on('error', reject).end(body);
  });

const wholeOf = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};
