import { createServer, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { rootCertificates } from 'node:tls';

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

/** A network that is not a stand-in: it expects its own name, and names other hosts for uploads. */
export interface RealNetwork {
  /** PEM certificates of authorities to trust in addition to Node's own. */
  readonly certificates: readonly string[];
}

/**
 * Starts a relay in front of the network at `target`. It buffers each whole message in memory.
 * @param real set for a real network; a stand-in names the relay's address itself
 */
export const startRelay = async (
  target: string,
  { asked, answered }: Bystander,
  real?: RealNetwork,
): Promise<Relay> => {
  const server = createServer((request, response) => {
    const relay = async (): Promise<void> => {
      const call: RelayedCall = {
        method: request.method ?? '',
        path: request.url ?? '/',
        headers: request.headers,
        body: await wholeOf(request),
      };
      if (asked && !(await asked(call))) return void response.destroy();
      const answer = real ? await passToReal(target, call, real) : await passOn(target + call.path, call);
      if (answered && !(await answered(call, answer))) return void response.destroy();
      const { 'transfer-encoding': _, connection: __, 'content-length': ___, ...headers } = answer.headers;
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

/** `/elsewhere/<origin>/…`: an address of another host. */
const ELSEWHERE = /^\/elsewhere\/([\w-]+)(\/.*)$/;

const passToReal = async (target: string, call: RelayedCall, { certificates }: RealNetwork): Promise<RelayedAnswer> => {
  const [, origin, path] = ELSEWHERE.exec(call.path) ?? [];
  const url = new URL(
    origin === undefined ? target + call.path : `${Buffer.from(origin, 'base64url').toString()}${path}`,
  );
  const ca = certificates.length > 0 ? [...rootCertificates, ...certificates] : undefined;
  // Only MAX calls it `url`, in an answer without other addresses.
  const key = call.path.startsWith('/uploads') ? 'url' : 'upload_url';
  const answer = await passOn(url.href, { ...call, headers: { ...call.headers, host: url.host } }, ca);
  return { ...answer, body: leadThrough(`http://${call.headers.host}`, answer.body, key) };
};

/** Replaces the addresses for uploads in an answer by addresses of the relay. @param key member that has the address */
const leadThrough = (relay: string, body: Buffer, key: 'upload_url' | 'url'): Buffer => {
  const text = body.toString();
  if (!text.includes(`"${key}"`)) return body;
  const lead = (name: string, value: unknown): unknown => {
    if (name !== key || typeof value !== 'string' || !/^https?:/.test(value)) return value;
    const { origin } = new URL(value);
    return `${relay}/elsewhere/${Buffer.from(origin).toString('base64url')}${value.slice(origin.length)}`;
  };
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text, lead)));
  } catch {
    return body;
  }
};

/** Keeps the Host header: a stand-in returns URLs of the relay. */
const passOn = (url: string, { method, headers, body }: RelayedCall, ca?: readonly string[]): Promise<RelayedAnswer> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    const outgoing = request(url, { method, headers, ...(ca && { ca: [...ca] }) }, (incoming) => {
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
