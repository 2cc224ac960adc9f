import type { Instant } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import {
  type Exchange,
  exchange,
  extractWords,
  type Interrupted,
  parseObject,
  platformSays,
  readRetryAfter,
} from '../exchange.js';
import { classifyInterrupted, classifyUnreadable, ErrorTable, type RefusedCall } from '../outcomes.js';
import type { StepOutcome } from '../publisher.js';
import { MAX_ERRORS } from './errors.js';
import { TITLE } from './limits.js';

/** One call to MAX's API. The token is sent in a header, never in the URL. */
export interface MaxCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
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

const errors = new ErrorTable('max', TITLE, MAX_ERRORS);

export type MaxFailure =
  /** MAX's own error: `{code, message}`, or `success: false` in a 200 (D-41). `retryAfter`: the HTTP header. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly retryAfter: string | undefined;
    }
  /** A response that does not come from MAX: a proxy's HTML, a malformed body, or a message without an id. */
  | {
      readonly kind: 'unreadable';
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Text in the response. */
      readonly says?: string;
    }
  | Interrupted;

/**
 * Returns the outcome of a failed call (network-errors.md, D-20, D-25, D-26). Only a visible call can be in doubt; any
 * other call may always be repeated.
 * @param table what refusals mean; default: what they mean for posts
 */
export const classify = (failure: MaxFailure, call: RefusedCall, table: ErrorTable = errors): StepOutcome => {
  switch (failure.kind) {
    case 'refused':
      return classifyRefusal(failure, call, table);
    case 'unreadable':
      return classifyForeign(failure, call);
    case 'lost':
    case 'never_sent':
      return classifyInterrupted(failure, { title: TITLE, visible: call.visible });
  }
};

type Refusal = Extract<MaxFailure, { kind: 'refused' }>;

const classifyRefusal = (
  { status, code, message, retryAfter }: Refusal,
  call: RefusedCall,
  table: ErrorTable,
): StepOutcome => {
  const words = [code, message].filter(Boolean).join(': ');
  const codes = [status >= 500 ? 500 : status, ...(code === '' ? [] : [code])];
  const isSlowDown = status === 429 || code === 'too.many.requests';
  return table.classify({ codes, words, ...(isSlowDown && { waitSeconds: readSeconds(retryAfter) }) }, call);
};

/** Classifies a response that does not come from MAX. If the status is 429, the call is retried after a delay. */
const classifyForeign = (
  { status, retryAfter, says = '' }: Extract<MaxFailure, { kind: 'unreadable' }>,
  call: RefusedCall,
): StepOutcome =>
  status === 429
    ? errors.classify({ codes: [429], words: says, waitSeconds: readSeconds(retryAfter) }, call)
    : classifyUnreadable(status, platformSays(says, call.credentials), { title: TITLE, visible: call.visible });

const readSeconds = (retryAfter: string | undefined): number | null => {
  const seconds = retryAfter === undefined ? NaN : Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
};
