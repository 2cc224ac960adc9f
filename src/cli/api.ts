import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  createManagement,
  GatewayError,
  type Management,
  type PathOf,
  type RouteOf,
  type Schemas,
  send,
  type SendOptions,
} from '../../clients/typescript/src/index.js';
import type { Call } from './define.js';
import { CLI_MESSAGES } from './messages.js';
import { Failure, isThing, NotReachable, type Output, textOf, thingsIn, valueAt } from './output.js';

/** Routes that return one page of a list. */
export type ListPath = {
  [P in PathOf<'GET'>]: RouteOf<'GET', P>['answers'] extends {
    readonly items: readonly object[];
    readonly next: unknown;
  }
    ? P
    : never;
}[PathOf<'GET'>];

type ItemOf<P extends ListPath> = RouteOf<'GET', P>['answers'] extends { readonly items: readonly (infer Item)[] }
  ? Item
  : never;

/**
 * The gateway's HTTP API, for the commands. Calls go through the typed client, are sent only once, and reject with a
 * Failure or NotReachable.
 */
export interface Api extends Management {
  /** The gateway's address, without a trailing slash. */
  readonly url: string;
  /** Lists items page by page, up to a limit. */
  list<P extends ListPath>(path: P, given: RouteOf<'GET', P>['takes'], limit: number): AsyncGenerator<ItemOf<P>>;
  /**
   * Requests a path outside the API, without a key.
   * @param accepts statuses above 399 that are results, not failures
   */
  probe(path: string, accepts?: readonly number[]): Promise<Answer>;
}

const MAX_PAGE = 200;

/** Creates an API client for a gateway. @param key null to send no key; the gateway then rejects the calls */
export const createApi = (address: string, key: string | null): Api => {
  const url = address.replace(/\/+$/, '');
  const options = { ...SENDING, url, key, attempts: 1 };
  const { get, post, patch, put, delete: remove, open, uploadMedia } = createManagement(options);
  /** Wraps a function to convert its errors to the command line's own. */
  const reporting = <F extends (...given: never[]) => Promise<unknown>>(call: F): F =>
    ((...given: never[]) => callGateway(url, () => call(...given))) as F;
  const getPage = reporting(get) as (path: string, given: object) => Promise<unknown>;
  return {
    url,
    get: reporting(get),
    post: reporting(post),
    patch: reporting(patch),
    put: reporting(put),
    delete: reporting(remove),
    open: reporting(open),
    uploadMedia: reporting(uploadMedia),
    async *list<P extends ListPath>(path: P, given: RouteOf<'GET', P>['takes'], limit: number) {
      let cursor: string | undefined;
      for (let left = limit; left > 0;) {
        const { query: filters } = given as { readonly query?: object };
        const query = { ...filters, limit: Math.min(left, MAX_PAGE), cursor };
        const page = await getPage(path, { ...given, query });
        const { items: found, next } = isThing(page) ? page : {};
        const items = thingsIn(found).slice(0, left);
        yield* items as ItemOf<P>[];
        left -= items.length;
        if (typeof next !== 'string') return;
        cursor = next;
      }
    },
    probe: (path, accepts) =>
      callGateway(url, () => send({ method: 'GET', url: url + path, ...(accepts && { accepts }) }, options)),
  };
};

/**
 * Makes a call through the typed client, and converts its errors to the command line's own.
 * @param url the gateway's address
 * @throws Failure @throws NotReachable
 */
export const callGateway = async <T>(url: string, call: () => Promise<T>): Promise<T> => {
  if (!URL.canParse(url)) throw new NotReachable(CLI_MESSAGES.noUrl({ url }));
  try {
    return await call();
  } catch (error) {
    throw error instanceof GatewayError ? toFailure(error) : error;
  }
};

/** Converts a typed client's error to one of the command line's own errors. */
export const toFailure = ({ status, code, errors, route, cause }: GatewayError): Failure | NotReachable => {
  if (status === 0)
    return cause instanceof NotReachable
      ? cause
      : new NotReachable(CLI_MESSAGES.brokenOff({ reason: reasonOf(cause) }), { cause, mayHaveArrived: true });
  // The response may be a proxy's error page, which contains no message to quote.
  const said = code === `http_${status}` ? '' : [...new Set(errors)].join('\n  ');
  return new Failure(code, said === '' ? CLI_MESSAGES.saidNothing({ status, route }) : said, status);
};

/** Error codes of connections that were never established. */
const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** How the command line sends requests. */
export const SENDING = {
  answerTimeoutMs: 300_000, // an import may take a long time
  fetch: async (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('user-agent', 'crosspost'); // shown in the request log
    try {
      return await fetch(url, { ...init, headers });
    } catch (cause) {
      const reason = reasonOf(cause);
      const message = CLI_MESSAGES.notReachable({ url: new URL(url).origin, reason });
      throw new NotReachable(message, { cause, mayHaveArrived: !NEVER_ARRIVED.has(reason) });
    }
  },
} as const satisfies SendOptions;

/** Returns why a call failed: fetch hides the reason in `cause`. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? inner ?? message;
};

const POLL_MS = 500;
/** How long to wait for a gateway that does not respond, in ms; the job continues after the gateway restarts. */
const OUTAGE_MS = 60_000;

/**
 * Waits for a job to finish unless `--no-wait` is given, and prints it.
 * @throws Failure if it failed @throws NotReachable
 */
export const finishJob = async ({ api, out, options }: Call, started: Schemas['Job']): Promise<Schemas['Job']> => {
  const job = options.wait === false ? started : await waitForJob(api, out, started.id);
  out.answer(job);
  return job;
};

/** Waits for a job to finish, showing its progress, and returns the finished job. */
const waitForJob = async (api: Api, out: Output, id: string): Promise<Schemas['Job']> => {
  let answeredAt = performance.now();
  try {
    for (;;) {
      try {
        const job = await api.get('/jobs/{id}', { path: { id } });
        answeredAt = performance.now();
        const { state, progress, eta_seconds, kind } = job;
        if (state === 'failed') throw new Failure('job_failed', textOf(valueAt(job, 'result.message')) || id);
        if (state === 'done') return job;
        const eta = eta_seconds === null ? '' : CLI_MESSAGES.secondsLeft({ seconds: Math.ceil(eta_seconds) });
        out.progress(progress, CLI_MESSAGES.jobRuns({ kind, id, eta }));
      } catch (error) {
        if (!(error instanceof NotReachable) || performance.now() > answeredAt + OUTAGE_MS) throw error;
      }
      await sleep(POLL_MS);
    }
  } finally {
    out.endProgress();
  }
};
