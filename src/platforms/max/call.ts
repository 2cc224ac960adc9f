import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import type { NetworkConnection } from '../connection.js';
import { type Exchange, exchange } from '../exchange.js';
import { parseObject } from '../parse-json.js';
import { extractWords } from '../platform-says.js';
import { readRetryAfter } from '../retry-after.js';
import type { MaxFailure } from './classify.js';

/** One call to MAX's API. The token is sent in a header, never in the URL. */
export interface MaxCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly token: string;
  readonly signal: AbortSignal;
  /** See {@link SendContext.holdsLease}. */
  readonly holdsLease?: (() => boolean) | undefined;
}

/** MAX's response and its time (null if it has no date), or a failure. */
type MaxResponse =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown; readonly at: Instant | null }
  | MaxFailure;

/** True if a string could be a token: at most 1,024 visible ASCII characters, so that a header can contain it. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);

/** Makes one call, without retries; never throws. Masks the token if the response echoes it. */
export const callMax = async (
  { connections, apiUrl, timeoutMs }: NetworkConnection,
  { method, path, query, body, token, signal, holdsLease }: MaxCall,
): Promise<MaxResponse> => {
  const answer = await exchange(
    connections,
    {
      method,
      url: `${apiUrl}${path}?${new URLSearchParams(query).toString()}`,
      headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    },
    { timeoutMs, signal, holdsLease },
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

const dateOf = (header: string | undefined): Instant | null => {
  const at = Date.parse(header ?? '');
  return Number.isNaN(at) ? null : at;
};
