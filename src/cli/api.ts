import { randomUUID } from 'node:crypto';
import { Failure, NotReachable } from './failures.js';
import { isThing, type Thing, textOf, thingsIn } from './json.js';
import { CLI_MESSAGES } from './messages.js';

/** Values of a query; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A request to the gateway. */
export interface ApiRequest {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with its media type. */
  readonly raw?: { readonly type: string; readonly content: AsyncIterable<Uint8Array> | string };
  /** Key or token instead of the management key. */
  readonly key?: string | null;
  readonly idempotencyKey?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses above 399 that are answers here, not failures. */
  readonly accept?: readonly number[];
}

/** An answer of the gateway that is no error. */
export interface ApiAnswer {
  readonly status: number;
  /** The body as the gateway sent it. */
  readonly text: string;
  /** The body, if it is a JSON object; otherwise an object without members. */
  readonly thing: Thing;
}

/** The gateway's HTTP API: the only thing that the command line knows of a gateway. */
export class Api {
  private readonly base: string;

  constructor(
    base: string,
    private readonly key: string | null,
  ) {
    this.base = base.replace(/\/+$/, '');
  }

  /** Calls a route of the management API. @throws Failure @throws NotReachable */
  manage(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    return this.call(method, `/manage/v1${path}`, request);
  }

  /** Calls a path of the gateway, or an absolute URL. @throws Failure @throws NotReachable */
  async call(method: string, address: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const response = await this.open(method, address, request);
    const text = await readText(response);
    return { status: response.status, text, thing: parseThing(text) };
  }

  /** Calls a route whose answer is read while it arrives. @throws Failure @throws NotReachable */
  async open(method: string, address: string, request: ApiRequest): Promise<Response> {
    const url = this.urlOf(address, request.query);
    const response = await fetchFrom(url, {
      method,
      headers: this.headersOf(method, request),
      ...(request.raw && { body: request.raw.content, duplex: 'half' }),
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });
    if (response.ok || request.accept?.includes(response.status)) return response;
    throw failureOf(response, await readText(response), `${method} ${url.pathname}`);
  }

  /** Lists things page by page, up to a number of them. @throws Failure @throws NotReachable */
  async *list(path: string, query: Query, limit: number): AsyncGenerator<Thing> {
    let cursor: string | undefined;
    for (let left = limit; left > 0;) {
      const page = { ...query, limit: Math.min(left, MAX_PAGE), cursor };
      const { thing } = await this.manage('GET', path, { query: page });
      const items = thingsIn(thing.items).slice(0, left);
      yield* items;
      left -= items.length;
      if (typeof thing.next !== 'string') return;
      cursor = thing.next;
    }
  }

  private urlOf(address: string, query: Query = {}): URL {
    let url: URL;
    try {
      url = new URL(/^https?:/.test(address) ? address : `${this.base}${address}`);
    } catch {
      throw new NotReachable(CLI_MESSAGES.noUrl({ url: this.base }));
    }
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  private headersOf(method: string, request: ApiRequest): Record<string, string> {
    const key = request.key === undefined ? this.key : request.key;
    const type = request.raw?.type ?? (request.body === undefined ? null : 'application/json');
    return {
      'user-agent': USER_AGENT,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(type !== null && { 'content-type': type }),
      ...request.headers,
      ...(method === 'POST' && { 'idempotency-key': request.idempotencyKey ?? randomUUID() }),
    };
  }
}

/** Codes of connections that were never made. */
const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Name in the request log. */
const USER_AGENT = 'crosspost';

/** Most items of a page. */
const MAX_PAGE = 200;

const fetchFrom = async (url: URL, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init);
  } catch (error) {
    const reason = reasonOf(error);
    const mayHaveArrived = !NEVER_ARRIVED.has(reason);
    throw new NotReachable(CLI_MESSAGES.notReachable({ url: url.origin, reason }), { cause: error, mayHaveArrived });
  }
};

const readText = async (response: Response): Promise<string> => {
  try {
    return await response.text();
  } catch (error) {
    throw new NotReachable(CLI_MESSAGES.brokenOff({ reason: reasonOf(error) }), { cause: error, mayHaveArrived: true });
  }
};

/** Returns why a call failed: fetch hides it in the cause. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? inner ?? message;
};

const parseThing = (text: string): Thing => {
  try {
    const value: unknown = JSON.parse(text);
    return isThing(value) ? value : {};
  } catch {
    return {};
  }
};

/** Returns what the gateway said, with each problem that it names. */
const failureOf = ({ status, headers }: Response, text: string, route: string): Failure => {
  const thing = parseThing(text);
  const problems = Array.isArray(thing.errors) ? thing.errors.map(textOf) : [];
  const said = [...new Set(problems)].join('\n  ');
  const code = textOf(thing.code) || `http_${status}`;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
  return new Failure(code, said === '' ? CLI_MESSAGES.saidNothing({ status, route }) : said, status, retryAfter);
};
