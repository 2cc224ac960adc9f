import type { Dispatcher } from 'undici';
import type { JsonObject } from '../../kernel/json.js';
import { exchange, type Exchange } from '../exchange.js';
import { wordsIn } from '../platform-says.js';
import { retryAfterOf } from '../retry-after.js';
import type { MaxFailure } from './classify.js';

/** How calls reach MAX. */
export interface MaxConnection {
  /** Base address without a slash at the end. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Milliseconds for one call, answer included; an upload gets more by its size. */
  readonly timeoutMs: number;
}

/** One call to MAX's API. The token goes into a header, never into the address. */
export interface MaxCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** A JSON object as MAX answered it, the answer's own time (milliseconds; null where it does not say), or what failed. */
export type MaxAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown; readonly at: number | null }
  | MaxFailure;

/** What may stand in a header; anything else could not be a token. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/;

/** Whether this can be a token at all. */
export const isToken = (token: string): boolean => TOKEN.test(token);

/** Makes one call, once. Never throws; what an answer may echo of the token is masked. */
export const callMax = async (connection: MaxConnection, call: MaxCall): Promise<MaxAnswer> => {
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
  return readAnswer(answer, token);
};

/** What an exchange says, as MAX's answers go; what it may echo of the token is masked. */
export const readAnswer = (answer: Exchange, token: string): MaxAnswer => {
  if (answer.kind !== 'answered') return answer;
  const { status, headers } = answer;
  const retryAfter = retryAfterOf(headers);
  const body = jsonObject(answer.body);
  const unreadable = (): MaxFailure => {
    const says = wordsIn(answer.body).replaceAll(token, '***');
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

/** The object that a body holds as JSON; null for anything else. */
export const jsonObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};
