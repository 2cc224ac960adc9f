import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { isNativeError } from 'node:util/types';
import { Agent, type Dispatcher } from 'undici';

/** One HTTP request to a network. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
}

/** When to give up on an exchange. */
export interface ExchangeLimits {
  /** Milliseconds from the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why an exchange ended without an answer: a system or library code such as `ECONNREFUSED`, and words for people. */
export interface Interruption {
  readonly code: string;
  readonly detail: string;
}

/**
 * What came of a request. The difference between `never_sent` and `lost` decides whether a post may be sent again
 * without anyone looking (D-25): before the first byte is written nothing can have been accepted.
 */
export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  /** No byte left: refused connection, no such host, failed TLS handshake, or stopped while waiting for a connection. */
  | ({ readonly kind: 'never_sent' } & Interruption)
  /** It went out, at least in part, and no whole answer came back. `status` where the answer had begun. */
  | ({ readonly kind: 'lost'; readonly status: number | null } & Interruption);

/** An answer longer than this is no answer of an API. */
const MAX_ANSWER_BYTES = 4 * 1_048_576;

/**
 * Connections to one network: kept alive, one request at a time on each, hundreds side by side. An idle connection is
 * closed after 4 s, before servers close it: a request that meets a closing connection would be in doubt.
 */
export const createConnections = (): Agent =>
  new Agent({ connections: 512, pipelining: 1, keepAliveTimeout: 4_000, headersTimeout: 0, bodyTimeout: 0 });

/**
 * Runs one request and says how far it came. Never throws, never repeats, never follows a redirect. The answer's body
 * is whole where `kind` is `answered`, but for a refusal (3xx, 4xx): that is one as soon as its status is there, and its
 * body is what came of it.
 */
export const exchange = (
  connections: Dispatcher,
  request: OutgoingRequest,
  { timeoutMs, signal }: ExchangeLimits,
): Promise<Exchange> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status: number | null = null;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let bytes = 0;
    let settled = false;

    const settle = (outcome: Exchange): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    // The controller exists from the moment before the first byte is written.
    const interrupted = (why: Interruption): void => {
      if (!controller) settle({ kind: 'never_sent', ...why });
      else if (status === null || !isRefusal(status)) settle({ kind: 'lost', status, ...why });
      else settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks) });
    };
    const stop = (why: Interruption): void => {
      interrupted(why);
      controller?.abort(new Error(why.code));
    };
    const onAbort = (): void => stop({ code: 'aborted', detail: 'the call was stopped' });
    const timer = setTimeout(() => stop({ code: 'timed_out', detail: `no answer within ${timeoutMs} ms` }), timeoutMs);

    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { origin, pathname, search } = new URL(request.url);
      connections.dispatch(
        {
          origin,
          path: pathname + search,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        },
        {
          onRequestStart(started) {
            if (settled) return started.abort(new Error('stopped while waiting for a connection'));
            controller = started;
          },
          onResponseStart(_, code, received) {
            status = code;
            headers = received;
          },
          onResponseData(_, chunk) {
            bytes += chunk.length;
            if (bytes > MAX_ANSWER_BYTES) stop({ code: 'answer_too_long', detail: 'the answer does not end' });
            else chunks.push(chunk);
          },
          onResponseEnd() {
            settle({ kind: 'answered', status: status ?? 0, headers, body: Buffer.concat(chunks) });
          },
          onResponseError(_, error) {
            interrupted(interruptionOf(error));
          },
        },
      );
    } catch (error) {
      interrupted(interruptionOf(error));
    }
  });

/** A status by which nothing was done, whatever the body goes on to say. */
const isRefusal = (status: number): boolean => status >= 300 && status < 500;

/** A library's error in a form that may be shown: code and message hold addresses, never a path or a header. */
const interruptionOf = (error: unknown): Interruption => {
  if (!isNativeError(error)) return { code: 'unknown', detail: 'unknown error' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, detail: error.message || code };
};
