import type { Dispatcher } from 'undici';
import type { JsonObject } from '../../kernel/json.js';
import { type Exchange, exchange } from '../exchange.js';
import { extractWords } from '../platform-says.js';
import { readRetryAfter } from '../retry-after.js';
import type { MaxFailure } from './classify.js';

/** Connection to MAX. */
export interface MaxConnection {
  /** Base URL without a trailing slash. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Time limit for one call, including the response, in ms; an upload gets more, depending on its size. */
  readonly timeoutMs: number;
}

/** One call to MAX's API. The token is sent in a header, never in the URL. */
export interface MaxCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** MAX's response and its time (ms since 1970; null if it has no date), or a failure. */
export type MaxResponse =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown; readonly at: number | null }
  | MaxFailure;

/** Matches text that may be a token: at most 1,024 visible ASCII characters, so that a header can contain it. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/;

/** True if the text could be a token. */
export const isToken = (token: string): boolean => TOKEN.test(token);

/** Makes one call, without retries; never throws. Masks the token if a response echoes it. */
export const callMax = async (connection: MaxConnection, call: MaxCall): Promise<MaxResponse> => {
  const { token, signal, body, method } = call;
  const answer = await exchange(
    connection.connections,
    {
      method,
      url: `${connection.apiUrl}${call.path}?${new URLSearchParams(call.query).toString()}`,
      headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    },
    { timeoutMs: connection.timeoutMs, signal },
  );
  return readResponse(answer, token);
};

/** Reads an exchange as a response from MAX. Masks the token if the response echoes it. */
export const readResponse = (answer: Exchange, token: string): MaxResponse => {
  if (answer.kind !== 'answered') return answer;
  const { status, headers } = answer;
  const retryAfter = readRetryAfter(headers);
  const body = parseObject(answer.body);
  const unreadable = (): MaxFailure => {
    const says = extractWords(answer.body).replaceAll(token, '***');
    return { kind: 'unreadable', status, retryAfter, says };
  };
  if (body === null) return unreadable();
  const { success, code, message } = body;
  const isRefusal = status < 200 || status >= 300 || success === false;
  if (!isRefusal) return { kind: 'answered', status, body, at: dateOf(headers.date) };
  if (success !== false && typeof code !== 'string') return unreadable();
  const say = (value: unknown): string => (typeof value === 'string' ? value.replaceAll(token, '***') : '');
  return { kind: 'refused', status, code: say(code), message: say(message), retryAfter };
};

const dateOf = (header: string | undefined): number | null => {
  const at = Date.parse(header ?? '');
  return Number.isNaN(at) ? null : at;
};

/** Parses a JSON object; returns null for anything else. */
export const parseObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};
