import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { freePort } from './free-port.js';

/** A delivery as a customer's server received it. */
export interface ReceivedDelivery {
  readonly id: string;
  readonly kind: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each kind has its own body
  readonly body: any;
  /** Reasons why a strict server refuses it. */
  readonly problems: readonly string[];
}

/** The answer to a delivery; default: 204 at once. */
export interface ReceiverAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** True if the request is never answered. */
  readonly never?: boolean;
  /** How long to wait before answering the request, in ms; default: not at all. */
  readonly afterMs?: number;
}

const BRAND = 'service';

/** A customer's server that strictly checks everything that the specification promises. */
export class WebhookReceiver {
  readonly received: ReceivedDelivery[] = [];
  /** Decides about each delivery. */
  answer: (delivery: ReceivedDelivery, count: number) => ReceiverAnswer = () => ({});
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  private constructor(private readonly port: number) {}

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(await freePort());
    await receiver.listen();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks?from=crosspost`;
  }

  /** Ids in the order of their first arrival. */
  get firstIds(): string[] {
    return [...new Set(this.received.map(({ id }) => id))];
  }

  /** Starts listening, on the same port every time. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const delivery = toDelivery(request.method, request.headers, Buffer.concat(chunks));
        this.received.push(delivery);
        const {
          status = 204,
          headers = {},
          body = '',
          never,
          afterMs = 0,
        } = this.answer(delivery, this.received.length);
        if (never) return;
        response.on('error', () => undefined);
        const answer = () => {
          response.writeHead(delivery.problems.length > 0 ? 400 : status, headers);
          response.end(delivery.problems.length > 0 ? delivery.problems.join('; ') : body);
        };
        if (afterMs > 0) setTimeout(answer, afterMs).unref();
        else answer();
      });
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
  }

  /** Stops listening and breaks all connections. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

const toDelivery = (method: string | undefined, headers: IncomingHttpHeaders, raw: Buffer): ReceivedDelivery => {
  const header = (name: string): string => String(headers[name] ?? '');
  const id = header(`x-${BRAND}-delivery-id`);
  const kind = header(`x-${BRAND}-event`);
  const problems: string[] = [];
  const must = (holds: boolean, problem: string) => void (holds || problems.push(problem));
  must(method === 'POST', 'is no POST');
  must(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id), 'the delivery id is no UUID');
  must(header('idempotency-key') === id && header('webhook-id') === id, 'the ids differ');
  must(header('content-type') === 'application/json', 'is no JSON');
  must(/^sha256=[0-9a-f]{64}$/.test(header(`x-${BRAND}-signature`)), 'has no signature');
  must(/^v1,\S+( v1,\S+)?$/.test(header('webhook-signature')), 'has no Standard Webhooks signature');
  const timestamp = header(`x-${BRAND}-timestamp`);
  must(/^\d{10}$/.test(timestamp) && timestamp === header('webhook-timestamp'), 'the timestamps differ');
  let body: unknown = null;
  try {
    body = JSON.parse(raw.toString('utf8'));
  } catch {
    problems.push('the body is no JSON');
  }
  must((body as { kind?: unknown } | null)?.kind === kind, 'the kinds differ');
  return { id, kind, headers, raw, body, problems };
};

/** Verifies the specification's own signature, as a receiver would (publish-api.md: Events, 2). */
export const verifyOwnSignature = (
  secret: string,
  raw: Buffer,
  { headers }: Pick<ReceivedDelivery, 'headers'>,
): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const sent = Buffer.from(String(headers[`x-${BRAND}-signature`] ?? ''));
  return expected.length === sent.length && timingSafeEqual(expected, sent);
};
