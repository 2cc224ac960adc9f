import { createHmac } from 'node:crypto';
import { until } from '../../../e2e/until.js';
import type { TestGateway } from '../gateway.js';

/** The id and the credentials of an endpoint. */
export interface Address {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
}

/** An answer, its body as text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An entry of the request log (management-api.md). */
export interface LogEntry {
  readonly id: string;
  readonly ip: string;
  readonly user_agent: string | null;
  readonly route: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly http_status: number;
  readonly latency_ms: number;
  readonly payload_bytes: number;
  readonly trace_id: string | null;
  readonly post_id: string | null;
  readonly why: { readonly rule: string; readonly figures: Record<string, unknown>; readonly event_id: string | null };
}

/** Differences from the default request, which is a post. */
export interface RequestOptions {
  readonly method?: string;
  /** The part of the path after the slug. */
  readonly route?: string;
  readonly body?: string | Buffer | object;
  /** `undefined` removes a header of the default request. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends a request to an endpoint, by default a post. @param url of a gateway */
export const sendRequest = async (
  url: string,
  { slug, token }: Address,
  given: RequestOptions = {},
): Promise<Answer> => {
  const { method = 'POST', route = '', body = { text: 'Hello' }, headers = {} } = given;
  const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await fetch(`${url}/v1/webhooks/${slug}${route}`, {
    method,
    headers: sent,
    ...(method === 'POST' && { body: bytes as string }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** Returns the HMAC-SHA256 of a text, as clients send it. */
export const sign = (secret: string, text: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** A database that takes SQL: a pool or a client. */
interface Database {
  query(text: string): Promise<unknown>;
}

/** Stops the clock of all limits at its present time, so that none of their windows ends while the machine is busy. */
export const stopLimitClock = (database: Database): Promise<unknown> =>
  database.query(`
    do $stop$ begin
      execute format('create or replace function ops_read_clock() returns timestamptz language sql volatile as %L',
                     format('select %L::timestamptz', clock_timestamp()));
    end $stop$`);

/** Lets the clock of all limits run again. */
export const startLimitClock = (database: Database): Promise<unknown> =>
  database.query(`
    create or replace function ops_read_clock() returns timestamptz language sql volatile as 'select clock_timestamp()'`);

const TICK_MS = 10;
/** The most by which {@link ignoreStalls} lets its clock move in one tick, in ms. */
const LONGEST_TICK_MS = 50;

/**
 * Replaces `performance.now` by a clock that stands still while this thread does: what the gateway in this process
 * measures then does not include the time for which a busy machine suspends it. Returns a function that restores it.
 */
export const ignoreStalls = (): (() => void) => {
  const realNow = performance.now.bind(performance);
  let readAt = realNow();
  let counted = readAt;
  const timer = setInterval(() => {
    const now = realNow();
    counted += Math.min(now - readAt, LONGEST_TICK_MS);
    readAt = now;
  }, TICK_MS);
  performance.now = () => counted;
  return () => {
    clearInterval(timer);
    performance.now = realNow;
  };
};

/** Reads an endpoint's request log, the newest entry first. */
export const readRequestLog = async (gateway: TestGateway, { id }: Pick<Address, 'id'>): Promise<LogEntry[]> => {
  const { items } = (await gateway.manage('GET', `/endpoints/${id}/requests?limit=200`)) as { items: LogEntry[] };
  return items;
};

/** Waits for the log entry of an answer and returns it. */
export const findLogEntry = (
  gateway: TestGateway,
  endpoint: Pick<Address, 'id'>,
  answer: Answer,
): Promise<LogEntry> => {
  const id = answer.headers.get('x-request-id')!;
  return until(`${id} in the log`, async () =>
    (await readRequestLog(gateway, endpoint)).find((entry) => entry.id === id),
  );
};
