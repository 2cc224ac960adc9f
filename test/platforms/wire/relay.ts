import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange with a network, as it went over the wire. */
export interface RelayedCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the network said. */
export interface RelayedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Who stands between a publisher and its network. */
export interface Bystander {
  /** Before the network has the call; false: it never gets it, and the connection breaks. */
  readonly asked?: (call: RelayedCall) => boolean | Promise<boolean>;
  /** When the network has answered; false: nobody hears of it, and the connection breaks. */
  readonly answered?: (call: RelayedCall, answer: RelayedAnswer) => boolean | Promise<boolean>;
}

/** An address through which a network can be reached, watched and cut off. Upload addresses lead through it too. */
export interface Relay {
  readonly url: string;
  stop(): Promise<void>;
}

/** Stands between a publisher and the network at `target`; what passes is whole in memory. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** The Host header stays the relay's, so that the network answers with addresses of the relay. */
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
