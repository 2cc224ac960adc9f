import { createHmac } from 'node:crypto';
import { until } from '../../../e2e/until.js';
import type { TestGateway } from '../gateway.js';

/** An endpoint as its client knows it. */
export interface Address {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
}

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A line of the request log (management-api.md). */
export interface LogLine {
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

export interface Call {
  readonly method?: string;
  /** What follows the slug. */
  readonly route?: string;
  readonly body?: string | Buffer | object;
  /** `undefined` takes away what every call has. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Any request to an endpoint: a post, where nothing else is said. @param url of a gateway */
export const call = async (url: string, { slug, token }: Address, given: Call = {}): Promise<Answer> => {
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

/** The HMAC-SHA256 of a text, as clients send it. */
export const signed = (secret: string, text: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** An endpoint's request log, the newest first. */
export const logOf = async (gateway: TestGateway, { id }: Pick<Address, 'id'>): Promise<LogLine[]> => {
  const { items } = (await gateway.manage('GET', `/endpoints/${id}/requests?limit=200`)) as { items: LogLine[] };
  return items;
};

/** The line of one answer, once it is there. */
export const lineOf = (gateway: TestGateway, endpoint: Pick<Address, 'id'>, answer: Answer): Promise<LogLine> => {
  const id = answer.headers.get('x-request-id')!;
  return until(`${id} in the log`, async () => (await logOf(gateway, endpoint)).find((line) => line.id === id));
};
