import { GatewayError, readError } from './gateway-error.js';

/** Functions of the environment that callers may replace. */
export interface SendOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits before a retry. Default: a timer. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Attempts of a request, the first included, from 1. Default: 4. */
  readonly attempts?: number;
}

/** A request. Its headers are made for each attempt, because a timestamp is valid for five minutes only. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly headers: () => Promise<Record<string, string>>;
}

/** A success. */
export interface Answer {
  readonly isJson: boolean;
  readonly text: string;
}

const DEFAULT_ATTEMPTS = 4;
/** Seconds before the second, third and fourth attempt. */
const BACKOFF = [2, 4, 8] as const;
/** The same after a 503. */
const BACKOFF_UNAVAILABLE = [5, 15, 45] as const;
/** Longest wait that the gateway may ask for, in seconds; an error is better than a call that seems to hang for an hour. */
const MAX_WAIT = 120;
/** Time in which an answer must begin, in ms. */
const ANSWER_MS = 60_000;

/**
 * Sends a request, and again after 429, 5xx and lost connections, with the waits that the gateway's documentation asks for.
 * @throws GatewayError for any other error, after the last attempt, or if the gateway asks for a wait of more than two minutes
 */
export const send = async (request: Outgoing, options: SendOptions): Promise<Answer> => {
  const { fetch: call = fetch, wait = sleep, attempts = DEFAULT_ATTEMPTS } = options;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(request, call);
    if (!(outcome instanceof GatewayError)) return outcome;
    // A DELETE that succeeded although its answer was lost finds nothing the second time.
    if (attempt > 1 && request.method === 'DELETE' && outcome.status === 404) return { isJson: false, text: '' };
    const seconds = delaySeconds(outcome, attempt);
    if (attempt >= attempts || !isRetryable(outcome) || seconds > MAX_WAIT) throw outcome;
    await wait(seconds * 1000);
  }
};

const tryOnce = async (
  { method, url, body, headers }: Outgoing,
  call: NonNullable<SendOptions['fetch']>,
): Promise<Answer | GatewayError> => {
  // A redirect is an error: fetch would repeat a POST as GET, and show the token to another server.
  const init: RequestInit = { method, headers: await headers(), redirect: 'manual' };
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), ANSWER_MS);
  try {
    const answer = await call(url, { ...init, signal: aborter.signal, ...(body !== undefined && { body }) });
    clearTimeout(timer);
    if (answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400))
      return new GatewayError(answer.status, 'redirected', [`${url} redirects: use the address of the gateway`], null);
    const text = await answer.text(); // an answer that breaks off is a lost connection, too
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    return answer.ok ? { isJson, text } : readError(answer, text);
  } catch (cause) {
    return new GatewayError(0, 'unreachable', [`no answer from ${new URL(url).origin}`], null, null, { cause });
  } finally {
    clearTimeout(timer);
  }
};

const isRetryable = ({ status, code }: GatewayError): boolean =>
  code === 'unreachable' || status === 429 || status >= 500;

/** Returns the wait after a failure. @param attempt the number of the attempt that failed, from 1 */
const delaySeconds = ({ status, retryAfter }: GatewayError, attempt: number): number => {
  const table = status === 503 ? BACKOFF_UNAVAILABLE : BACKOFF;
  const backoff = table[attempt - 1] ?? 0;
  return status === 429 ? (retryAfter ?? backoff) : Math.max(backoff, retryAfter ?? 0);
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
