import { GatewayError, readError } from './gateway-error.js';

/** Options for sending requests. Callers may replace `fetch` and the timer. */
export interface SendOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits before a retry; if it rejects, the request is not retried. Default: a timer. */
  readonly wait?: (ms: number, error: GatewayError) => Promise<void>;
  /** Maximum number of attempts for one request, including the first; at least 1. Default: five, or six after a 503. */
  readonly attempts?: number;
  /**
   * Longest Retry-After to wait for, in seconds; anything longer is an error. Default: 120, because failing is better
   * than a call that seems to hang for an hour.
   */
  readonly longestWait?: number;
  /** How long to wait for the response to start, in ms. Default: one minute. */
  readonly answerTimeoutMs?: number;
}

/** A request to send. Headers are created for each attempt, because timestamps are valid for only five minutes. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly body?: string | Blob | Uint8Array<ArrayBuffer>;
  readonly headers?: () => Promise<Record<string, string>>;
  /** True if a DELETE does not remove the resource, so that a 404 is an error even on a retry. */
  readonly isKept?: boolean;
  /** Error statuses to treat as success. */
  readonly accepts?: readonly number[];
}

/** A successful response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly isJson: boolean;
  readonly text: string;
}

/** Seconds to wait before each retry. */
const BACKOFF: readonly number[] = [2, 4, 8, 16];
/** Seconds to wait before each retry after a 503. */
const BACKOFF_UNAVAILABLE: readonly number[] = [5, 15, 45, 120, 300];

/**
 * Sends a request and retries it after 429, 5xx and lost connections, with the documented backoff.
 * @throws GatewayError for any other error, after the last attempt, or if Retry-After exceeds `longestWait`
 */
export const send = (request: Outgoing, options: SendOptions): Promise<Answer> => retry(request, options, readAnswer);

/**
 * Sends a request like {@link send}, but resolves as soon as the response starts, so that the caller can stream it.
 * @throws GatewayError
 */
export const open = (request: Outgoing, options: SendOptions): Promise<Response> =>
  retry(request, options, (answer) => Promise.resolve(answer));

/** @param read reads a successful response; a rejection counts as a lost connection */
const retry = async <T>(
  request: Outgoing,
  options: SendOptions,
  read: (answer: Response) => Promise<T>,
): Promise<T> => {
  const { wait = sleep, attempts = Infinity, longestWait = 120 } = options;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(request, options, read);
    if (!(outcome instanceof GatewayError)) return outcome;
    // If a DELETE succeeded but its response was lost, the retry gets a 404.
    if (attempt > 1 && request.method === 'DELETE' && !request.isKept && outcome.status === 404)
      return read(new Response(null, { status: 204 }));
    const seconds = nextAttemptIn(outcome, attempt);
    if (seconds === null || attempt >= attempts || (outcome.retryAfter ?? 0) > longestWait) throw outcome;
    await wait(seconds * 1000, outcome);
  }
};

const tryOnce = async <T>(
  { method, url, body, headers, accepts = [] }: Outgoing,
  { fetch: call = fetch, answerTimeoutMs = 60_000 }: Pick<SendOptions, 'fetch' | 'answerTimeoutMs'>,
  read: (answer: Response) => Promise<T>,
): Promise<T | GatewayError> => {
  const { origin, pathname } = new URL(url);
  const route = `${method} ${pathname}`;
  // A redirect is an error: fetch could turn a POST into a GET and send the post to another server.
  const init: RequestInit = { method, headers: (await headers?.()) ?? {}, redirect: 'manual' };
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), answerTimeoutMs);
  try {
    const answer = await call(url, { ...init, signal: aborter.signal, ...(body !== undefined && { body }) });
    clearTimeout(timer);
    const { type, status, ok } = answer;
    if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      const errors = [`${url} redirects: use the gateway's address`];
      return new GatewayError({ status, code: 'redirected', errors, route });
    }
    // A response that is cut off partway also counts as a lost connection.
    return ok || accepts.includes(status) ? await read(answer) : readError(answer, await answer.text(), route);
  } catch (cause) {
    return new GatewayError({ status: 0, code: 'unreachable', errors: [`no answer from ${origin}`], route, cause });
  } finally {
    clearTimeout(timer);
  }
};

const readAnswer = async (answer: Response): Promise<Answer> => {
  const { status, headers } = answer;
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status, headers, isJson, text: await answer.text() };
};

/**
 * Returns how many seconds to wait before the next attempt, or null to give up (publish-api.md: Client retry policy).
 * @param attempt number of the failed attempt, starting at 1
 */
const nextAttemptIn = ({ status, code, retryAfter }: GatewayError, attempt: number): number | null => {
  if (code !== 'unreachable' && status !== 429 && status < 500) return null;
  const wait = (status === 503 ? BACKOFF_UNAVAILABLE : BACKOFF)[attempt - 1];
  if (wait === undefined) return null;
  return status === 429 ? (retryAfter ?? wait) : Math.max(wait, retryAfter ?? 0);
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Formats a query string, including the question mark. Undefined parameters are omitted. */
export const formatQuery = (query: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
};
