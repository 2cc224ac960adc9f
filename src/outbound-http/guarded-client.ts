import { Agent, type Dispatcher } from 'undici';
import { BoundedCache } from '../runtime/bounded-cache.js';
import {
  type AnswerHead,
  AnswerReceiver,
  type CompleteAnswer,
  contentLengthOf,
  FetchError,
  fetchErrorOf,
  findRefusal,
  type Overflow,
  tooLarge,
} from './answer-receiver.js';
import { type GuardedConnectOptions, guardedConnector, resolveHost } from './guarded-connect.js';
import { RequestDeadline, type RequestSlots, type TrafficMeter } from './request-slots.js';
import { type AddressPolicy, findFetchUrlProblem } from './url-rules.js';

/** Options for a {@link GuardedClient}. */
export interface GuardedClientOptions extends Partial<Pick<GuardedConnectOptions, 'resolve' | 'ca' | 'build'>> {
  readonly policy: AddressPolicy;
  readonly timeouts?: Partial<GuardedTimeouts>;
  /** Maximum number of connections to one origin; default 64. */
  readonly connections?: number;
  /** Limits how many requests run at a time across all clients that share the slots. Default: only `connections`. */
  readonly slots?: RequestSlots;
}

/** Timeouts per stage, in ms; each request also has a total time limit. */
export interface GuardedTimeouts {
  /** DNS lookup, connection and TLS handshake; default 5 s. */
  readonly connectMs: number;
  /** From the request to the response headers; default 10 s. */
  readonly headersMs: number;
  /** Between two chunks of the response body; default 10 s. */
  readonly idleMs: number;
}

/** One request to a host that a user specified. */
export interface GuardedRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Longer responses are rejected as `too_large`. */
  readonly maxBytes: number;
  /** Time limit from the call to the last byte of the response, in ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Counts the request and the bytes of its response. */
  readonly meter?: TrafficMeter | undefined;
}

/** A response whose body has not been read. */
export interface OpenAnswer extends AnswerHead {
  /** Read the body once, or close it. Leaving the loop early closes the connection. Throws only {@link FetchError}. */
  readonly body: AsyncIterable<Buffer>;
  /** Closes the connection unless the body was read completely. */
  close(): void;
}

/** The parts of an allowed URL that a call needs. */
interface CallTarget {
  readonly hostname: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** Number of allowed URLs to cache: webhooks call the same URLs repeatedly. */
const MOST_TARGETS = 1_000;

/**
 * Calls hosts that users specified, for media, translation and webhooks (D-30). Allows only https on port 443 of public
 * addresses, without redirects, compression, proxies or credentials in the URL, and enforces size and time limits; the
 * policy's exceptions are for tests. Every failure is a {@link FetchError}. A response with a status of 400 or above is
 * not a failure, because only the caller knows what it means (see `fetchErrorOfStatus`).
 */
export class GuardedClient {
  private readonly policy: AddressPolicy;
  private readonly slots: RequestSlots | undefined;
  private readonly agent: Agent;
  private readonly targets = new BoundedCache<CallTarget>(MOST_TARGETS);

  constructor({
    policy,
    timeouts = {},
    slots,
    connections = 64,
    resolve = resolveHost,
    ...connect
  }: GuardedClientOptions) {
    this.policy = policy;
    this.slots = slots;
    this.agent = new Agent({
      connect: guardedConnector({ policy, resolve, timeoutMs: timeouts.connectMs ?? 5_000, ...connect }),
      connections,
      pipelining: 1,
      headersTimeout: timeouts.headersMs ?? 10_000,
      bodyTimeout: timeouts.idleMs ?? 10_000,
      // Idle connections are kept only long enough for the next ranged read: the longer a connection stays open, the
      // more likely the server closes it just as a request is sent, which loses the request.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
    });
  }

  /** Sends a request and waits for the response headers. The caller must read or close the body. */
  async open(url: string, asked: GuardedRequest): Promise<OpenAnswer> {
    const { maxBytes, meter } = asked;
    return this.withinLimits(url, asked, async (call, deadline, end) => {
      const answer = await this.agent.request({ ...call, signal: deadline.signal });
      // Closing an unread body is not an error.
      answer.body.on('error', () => undefined);
      const { statusCode: status, headers } = answer;
      const head = { status, headers, contentLength: contentLengthOf(headers) };
      const refusal = findRefusal(head, maxBytes);
      if (refusal) {
        answer.body.destroy();
        throw refusal;
      }
      return {
        ...head,
        body: readBounded(answer.body, { maxBytes, meter, end }),
        close() {
          end();
          answer.body.destroy();
        },
      };
    });
  }

  /**
   * Sends a request and reads the whole response into memory.
   * @param overflow what to do with a response that is longer than `maxBytes` or breaks off after its headers
   */
  async request(url: string, asked: GuardedRequest, overflow: Overflow = 'refuse'): Promise<CompleteAnswer> {
    return this.withinLimits(url, asked, async (call, deadline, end) => {
      const receiver = new AnswerReceiver(asked.maxBytes, overflow, asked.meter);
      deadline.onEnd((reason) => receiver.abort(reason));
      if (!deadline.isOver) this.agent.dispatch(call, receiver);
      const answer = await receiver.answer;
      end();
      return answer;
    });
  }

  /** Aborts open requests and closes all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Calls an allowed URL, in a slot and with a deadline.
   * @param call makes the call, and calls `end` once the response has been read or abandoned; after a failure, it need
   * not call `end`
   * @throws FetchError
   */
  private async withinLimits<Answer>(
    url: string,
    { timeoutMs, signal, meter, ...message }: GuardedRequest,
    call: (options: Dispatcher.RequestOptions, deadline: RequestDeadline, end: () => void) => Promise<Answer>,
  ): Promise<Answer> {
    const { hostname, origin, path } = this.targetOf(url);
    const deadline = new RequestDeadline(timeoutMs, signal);
    let release: (() => void) | undefined;
    const end = (): void => {
      deadline.clear();
      release?.();
      release = undefined;
    };
    try {
      if (this.slots) release = await this.slots.acquire(hostname, deadline.signal);
      if (meter) meter.requests++;
      const headers = { 'user-agent': 'Crosspost', ...message.headers, 'accept-encoding': 'identity' };
      const method = message.method ?? 'GET';
      return await call({ origin, path, method, headers, body: message.body ?? null }, deadline, end);
    } catch (error) {
      end();
      throw fetchErrorOf(error);
    }
  }

  /** @throws FetchError if the URL must not be called */
  private targetOf(url: string): CallTarget {
    const known = this.targets.get(url);
    if (known) return known;
    const problem = findFetchUrlProblem(url, this.policy);
    if (problem) {
      const code = problem.code === 'private_address' ? 'private_address' : 'url_refused';
      throw new FetchError(code, problem.predicate, { isPermanent: true });
    }
    const { hostname, origin, pathname, search } = new URL(url);
    const target = { hostname, origin, path: pathname + search };
    this.targets.set(url, target);
    return target;
  }
}

/**
 * Reads a range of a response body, then closes the connection, so that a host that ignores `Range` or sends an endless
 * body costs no more than the range. Keeps the connection if the range ends with the body.
 * @returns fewer bytes if the body ends earlier; `complete` is true if the body is known to end there
 */
export const readBytes = async (
  { body, contentLength }: OpenAnswer,
  skip: number,
  length: number,
): Promise<{ readonly bytes: Buffer; readonly complete: boolean }> => {
  const end = skip + length;
  const chunks: Buffer[] = [];
  let position = 0;
  for await (const chunk of body) {
    if (position < end && position + chunk.length > skip)
      chunks.push(chunk.subarray(Math.max(0, skip - position), end - position));
    position += chunk.length;
    if (position > end || (position === end && contentLength !== end))
      return { bytes: Buffer.concat(chunks), complete: false };
  }
  return { bytes: Buffer.concat(chunks), complete: true };
};

/** Reads a body and counts its bytes. @param how.end called when the body has been read or abandoned */
async function* readBounded(
  body: Dispatcher.ResponseData['body'],
  { maxBytes, meter, end }: { maxBytes: number; meter: TrafficMeter | undefined; end: () => void },
): AsyncGenerator<Buffer, void, void> {
  let received = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (meter) meter.bytes += chunk.length;
      if (received > maxBytes) throw tooLarge(received, maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw fetchErrorOf(error);
  } finally {
    end();
    body.destroy();
  }
}
