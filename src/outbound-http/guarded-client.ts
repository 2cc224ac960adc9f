import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { fetchUrlComplaint } from './url-rules.js';
import { grouped } from '../validation/wording.js';
import { guardedConnector, type GuardedConnectOptions } from './guarded-connect.js';
import { fetchErrorOf, MediaFetchError } from './fetch-error.js';
import { resolveHost } from './resolve-host.js';

/** How a {@link GuardedClient} is set up. */
export interface GuardedClientOptions extends Partial<Pick<GuardedConnectOptions, 'resolve' | 'ca' | 'build'>> {
  readonly policy: AddressPolicy;
  readonly timeouts?: Partial<GuardedTimeouts>;
}

/** When to give up on a host, in milliseconds; the whole of a request has its own limit. */
export interface GuardedTimeouts {
  /** Look-up, connection and TLS handshake; 5 s. */
  readonly connectMs: number;
  /** From the request to the answer's headers; 10 s. */
  readonly headersMs: number;
  /** Between two pieces of the answer's body; 10 s. */
  readonly idleMs: number;
}

/** One request to a stranger's host. */
export interface GuardedRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Longer answers are `too_large`. */
  readonly maxBytes: number;
  /** Milliseconds from the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** An answer whose body is still to come. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What the host announced, in bytes; null where it did not. */
  readonly contentLength: number | null;
  /** To be read once, or closed. Leaving the loop early hangs up. Throws {@link MediaFetchError} alone. */
  readonly body: AsyncIterable<Buffer>;
  /** Hangs up, unless all was read. */
  close(): void;
}

/** An answer that was read as far as it was wanted. */
export interface WholeAnswer extends Pick<OpenAnswer, 'status' | 'headers'> {
  readonly body: Buffer;
  /** False where the body was cut at `maxBytes`. */
  readonly complete: boolean;
}

/**
 * Calls hosts that somebody else chose: media, outbound webhooks, translation (D-30). https on port 443 of public
 * addresses, without redirects, compression, proxies or credentials in the URL, within bounds of size and time; what
 * the policy allows beyond that is for tests. Every failure is a {@link MediaFetchError}; answers of 400 and above are
 * answers, since only the caller knows what they mean (see `statusError`).
 */
export class GuardedClient {
  private readonly policy: AddressPolicy;
  private readonly agent: Agent;

  constructor({ policy, timeouts = {}, resolve = resolveHost, ...connect }: GuardedClientOptions) {
    this.policy = policy;
    this.agent = new Agent({
      connect: guardedConnector({ policy, resolve, timeoutMs: timeouts.connectMs ?? 5_000, ...connect }),
      connections: 64,
      pipelining: 1,
      headersTimeout: timeouts.headersMs ?? 10_000,
      bodyTimeout: timeouts.idleMs ?? 10_000,
      // Kept for the next ranged read only: a connection that its server is about to close would lose a request.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
    });
  }

  /** Sends a request and waits for the headers of the answer. The caller reads the body, or closes it. */
  async open(url: string, { maxBytes, timeoutMs, signal, ...message }: GuardedRequest): Promise<OpenAnswer> {
    const complaint = fetchUrlComplaint(url, this.policy);
    if (complaint)
      throw new MediaFetchError(
        complaint.code === 'private_address' ? 'private_address' : 'url_refused',
        complaint.what,
        { permanent: true },
      );
    const limit = new TimeLimit(timeoutMs, signal);
    try {
      const answer = await request(url, {
        dispatcher: this.agent,
        method: message.method ?? 'GET',
        headers: { 'user-agent': 'Crosspost', ...message.headers, 'accept-encoding': 'identity' },
        body: message.body ?? null,
        signal: limit.signal,
      });
      // Hanging up on a body that nobody reads is no failure of anybody's.
      answer.body.on('error', () => undefined);
      const contentLength = contentLengthOf(answer.headers);
      const refusal = refusalOf(answer, contentLength, maxBytes);
      if (refusal) {
        answer.body.destroy();
        throw refusal;
      }
      return {
        status: answer.statusCode,
        headers: answer.headers,
        contentLength,
        body: bounded(answer.body, maxBytes, limit),
        close() {
          limit.end();
          answer.body.destroy();
        },
      };
    } catch (error) {
      limit.end();
      throw fetchErrorOf(error);
    }
  }

  /**
   * Sends a request and reads the whole answer into memory.
   * @param overflow what becomes of an answer longer than `maxBytes`: an error, or what fits.
   */
  async request(url: string, asked: GuardedRequest, overflow: 'refuse' | 'cut' = 'refuse'): Promise<WholeAnswer> {
    const cut = overflow === 'cut';
    const answer = await this.open(url, cut ? { ...asked, maxBytes: Infinity } : asked);
    const { bytes, complete } = await readBytes(answer, 0, cut ? asked.maxBytes : Infinity);
    return { status: answer.status, headers: answer.headers, body: bytes, complete };
  }

  /** Breaks what is under way and lets go of every connection. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/**
 * Reads a stretch of an answer's body and hangs up where more would come, so that a host which ignores `Range` or never
 * ends costs no more than was wanted. The connection is kept where the stretch is the rest of the body.
 * @returns fewer bytes where the body ends before; `complete` where it is known to end with them.
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

/** An answer that is not taken, whatever its body. */
const refusalOf = (
  { statusCode, headers }: Dispatcher.ResponseData,
  contentLength: number | null,
  maxBytes: number,
): MediaFetchError | undefined => {
  const told = (code: 'redirect' | 'content_encoding' | 'too_large', message: string): MediaFetchError =>
    new MediaFetchError(code, message, { permanent: true, status: statusCode });
  if (statusCode >= 300 && statusCode < 400)
    return told('redirect', `redirects elsewhere (${statusCode}): use the direct link`);
  const encoding = String(headers['content-encoding'] ?? '').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    return told('content_encoding', 'comes compressed although it was asked for as it is: turn that off at its host');
  if (contentLength !== null && contentLength > maxBytes) return told('too_large', tooLarge(contentLength, maxBytes));
  return undefined;
};

const tooLarge = (bytes: number, maxBytes: number): string =>
  `has ${grouped(bytes)} bytes or more; at most ${grouped(maxBytes)} are allowed`;

const contentLengthOf = (headers: IncomingHttpHeaders): number | null => {
  const length = String(headers['content-length'] ?? '');
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
};

/** The body, counted as it comes. */
async function* bounded(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  limit: TimeLimit,
): AsyncGenerator<Buffer, void, void> {
  let received = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > maxBytes)
        throw new MediaFetchError('too_large', tooLarge(received, maxBytes), { permanent: true });
      yield chunk;
    }
  } catch (error) {
    throw fetchErrorOf(error);
  } finally {
    limit.end();
    body.destroy();
  }
}

/** A time limit and the caller's signal, as one signal whose reason is the error to throw. */
class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly stop = (): void =>
    this.controller.abort(new MediaFetchError('aborted', 'was no longer wanted', { permanent: false }));

  constructor(
    timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => {
      const message = `did not come within ${grouped(timeoutMs)} ms`;
      this.controller.abort(new MediaFetchError('timeout', message, { permanent: false }));
    }, timeoutMs);
    if (caller?.aborted) this.stop();
    else caller?.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.stop);
  }
}
