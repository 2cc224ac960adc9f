import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { findFetchUrlProblem } from './url-rules.js';
import { formatCount } from '../validation/wording.js';
import { guardedConnector, type GuardedConnectOptions } from './guarded-connect.js';
import { fetchErrorOf, FetchError } from './fetch-error.js';
import { FETCH_MESSAGES } from './messages.js';
import type { RequestSlots } from './request-slots.js';
import { resolveHost } from './resolve-host.js';
import type { TrafficMeter } from './traffic-meter.js';

/** Options of a {@link GuardedClient}. */
export interface GuardedClientOptions extends Partial<Pick<GuardedConnectOptions, 'resolve' | 'ca' | 'build'>> {
  readonly policy: AddressPolicy;
  readonly timeouts?: Partial<GuardedTimeouts>;
  /** Connections to one origin at most; default 64. */
  readonly connections?: number;
  /** Bounds how many requests run at a time, also together with other clients; default: no bound but that of connections. */
  readonly slots?: RequestSlots;
}

/** Time-outs per stage, in ms; each request has a limit of its own for the whole. */
export interface GuardedTimeouts {
  /** Look-up, connection and TLS handshake; default 5 s. */
  readonly connectMs: number;
  /** From the request to the answer's headers; default 10 s. */
  readonly headersMs: number;
  /** Between two chunks of the answer's body; default 10 s. */
  readonly idleMs: number;
}

/** One request to a host that a user named. */
export interface GuardedRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Longer answers are `too_large`. */
  readonly maxBytes: number;
  /** Milliseconds from the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Counts the request and the bytes of its answer. */
  readonly meter?: TrafficMeter | undefined;
}

/** An answer whose body has not been read. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Announced length in bytes; null if the host announced none. */
  readonly contentLength: number | null;
  /** Read it once, or close it. Leaving the loop early closes the connection. Throws only {@link FetchError}. */
  readonly body: AsyncIterable<Buffer>;
  /** Closes the connection unless the body was read completely. */
  close(): void;
}

/** An answer with its body. */
export interface CompleteAnswer extends Pick<OpenAnswer, 'status' | 'headers'> {
  readonly body: Buffer;
  /** False if the body was cut at `maxBytes`. */
  readonly isComplete: boolean;
}

/**
 * Calls hosts that users named: media, translation, webhooks (D-30). It allows https on port 443 of public addresses, without
 * redirects, compression, proxies or credentials in the URL, within limits of size and time; exceptions of the policy are
 * for tests. Every failure is a {@link FetchError}. Answers of 400 and above are answers: only the caller knows their
 * meaning (see `fetchErrorOfStatus`).
 */
export class GuardedClient {
  private readonly policy: AddressPolicy;
  private readonly slots: RequestSlots | undefined;
  private readonly agent: Agent;

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
      // Connections are kept for the next ranged read only: a request on a connection that its server closes would be lost.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
    });
  }

  /** Sends a request and waits for the headers of the answer. The caller reads or closes the body. */
  async open(url: string, { maxBytes, timeoutMs, signal, meter, ...message }: GuardedRequest): Promise<OpenAnswer> {
    const problem = findFetchUrlProblem(url, this.policy);
    if (problem)
      throw new FetchError(problem.code === 'private_address' ? 'private_address' : 'url_refused', problem.predicate, {
        isPermanent: true,
      });
    const limit = new TimeLimit(timeoutMs, signal);
    let release: (() => void) | undefined;
    const end = (): void => {
      limit.clear();
      release?.();
      release = undefined;
    };
    try {
      release = await this.slots?.acquire(new URL(url).hostname, limit.signal);
      if (meter) meter.requests++;
      const answer = await request(url, {
        dispatcher: this.agent,
        method: message.method ?? 'GET',
        headers: { 'user-agent': 'Crosspost', ...message.headers, 'accept-encoding': 'identity' },
        body: message.body ?? null,
        signal: limit.signal,
      });
      // Closing an unread body is not an error.
      answer.body.on('error', () => undefined);
      const contentLength = contentLengthOf(answer.headers);
      const refusal = findRefusal(answer, contentLength, maxBytes);
      if (refusal) {
        answer.body.destroy();
        throw refusal;
      }
      return {
        status: answer.statusCode,
        headers: answer.headers,
        contentLength,
        body: readBounded(answer.body, { maxBytes, meter, end }),
        close() {
          end();
          answer.body.destroy();
        },
      };
    } catch (error) {
      end();
      throw fetchErrorOf(error);
    }
  }

  /**
   * Sends a request and reads the whole answer into memory.
   * @param overflow treatment of an answer longer than `maxBytes`: `refuse` throws, `cut` returns its beginning
   */
  async request(url: string, asked: GuardedRequest, overflow: 'refuse' | 'cut' = 'refuse'): Promise<CompleteAnswer> {
    const cut = overflow === 'cut';
    const answer = await this.open(url, cut ? { ...asked, maxBytes: Infinity } : asked);
    const { bytes, complete } = await readBytes(answer, 0, cut ? asked.maxBytes : Infinity);
    return { status: answer.status, headers: answer.headers, body: bytes, isComplete: complete };
  }

  /** Aborts open requests and closes all connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/**
 * Reads a range of an answer's body and then closes the connection, so that a host that ignores `Range` or never ends costs
 * no more than the range. The connection is kept if the range is the rest of the body.
 * @returns fewer bytes if the body ends earlier; `complete` is true if the body is known to end with them
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

/** Returns the reason for refusing an answer before its body is read. */
const findRefusal = (
  { statusCode, headers }: Dispatcher.ResponseData,
  contentLength: number | null,
  maxBytes: number,
): FetchError | undefined => {
  const refused = (code: 'redirect' | 'content_encoding' | 'too_large', message: string): FetchError =>
    new FetchError(code, message, { isPermanent: true, status: statusCode });
  if (statusCode >= 300 && statusCode < 400)
    return refused('redirect', FETCH_MESSAGES.redirect({ status: statusCode }));
  const encoding = String(headers['content-encoding'] ?? '').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    return refused('content_encoding', FETCH_MESSAGES.compressed);
  if (contentLength !== null && contentLength > maxBytes)
    return refused('too_large', describeTooLarge(contentLength, maxBytes));
  return undefined;
};

const describeTooLarge = (bytes: number, maxBytes: number): string =>
  FETCH_MESSAGES.tooLarge({ bytes: formatCount(bytes), limit: formatCount(maxBytes) });

const contentLengthOf = (headers: IncomingHttpHeaders): number | null => {
  const length = String(headers['content-length'] ?? '');
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
};

/** Reads a body and counts its bytes. @param how.end called when the body has been read or left */
async function* readBounded(
  body: Dispatcher.ResponseData['body'],
  { maxBytes, meter, end }: { maxBytes: number; meter: TrafficMeter | undefined; end: () => void },
): AsyncGenerator<Buffer, void, void> {
  let received = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (meter) meter.bytes += chunk.length;
      if (received > maxBytes)
        throw new FetchError('too_large', describeTooLarge(received, maxBytes), { isPermanent: true });
      yield chunk;
    }
  } catch (error) {
    throw fetchErrorOf(error);
  } finally {
    end();
    body.destroy();
  }
}

/** Combines a time limit and the caller's signal in one signal whose reason is the error to throw. */
class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly abortByCaller = (): void =>
    this.controller.abort(new FetchError('aborted', FETCH_MESSAGES.aborted, { isPermanent: false }));

  constructor(
    timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => {
      const message = FETCH_MESSAGES.tookTooLong({ ms: formatCount(timeoutMs) });
      this.controller.abort(new FetchError('timeout', message, { isPermanent: false }));
    }, timeoutMs);
    if (caller?.aborted) this.abortByCaller();
    else caller?.addEventListener('abort', this.abortByCaller, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.abortByCaller);
  }
}
