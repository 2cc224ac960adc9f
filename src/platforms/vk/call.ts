import type { Dispatcher } from 'undici';
import { type Exchange, exchange } from '../exchange.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { classifyUnanswered } from '../unanswered-call.js';
import { classify, type VkRefusal } from './classify.js';
import { TITLE } from './title.js';

/** Connection to VK. */
export interface VkConnection {
  /** Base URL before `/method/…`, without a trailing slash. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Time limit for one call, including the response, in ms. */
  readonly timeoutMs: number;
  /** Time limit for one upload, including the response, in ms. */
  readonly uploadTimeoutMs: number;
}

/** One method call. */
export interface VkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Sent only in the body. */
  readonly token: string;
  /** True if readers would see its effect. */
  readonly visible: boolean;
}

/** Response to a method call, or the outcome if the call failed. `last` is the underlying exchange. */
export type VkResponse =
  | { readonly ok: true; readonly response: unknown; readonly last: Exchange }
  | { readonly ok: false; readonly outcome: StepOutcome };

/** Version of VK's API that this code is written for. */
const VERSION = '5.199';

/** Calls a method; never throws. VK always responds with HTTP 200, so `error` decides (D-41). */
export const callVk = async (
  { apiUrl, connections, timeoutMs }: VkConnection,
  { method, parameters, token, visible }: VkCall,
  { credentials, waits, signal }: Pick<SendContext, 'credentials' | 'waits' | 'signal'>,
): Promise<VkResponse> => {
  const last = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/method/${method}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...parameters, access_token: token, v: VERSION }).toString(),
    },
    { timeoutMs, signal },
  );
  const answer = last.kind === 'answered' ? parseObject(last.body) : null;
  const { response } = answer ?? {};
  const refusal = readRefusal(answer);
  if (refusal) return { ok: false, outcome: classify(refusal, { visible, waits, credentials }) };
  if (response === undefined || response === null)
    return { ok: false, outcome: classifyUnreadable(last, visible, credentials) };
  return { ok: true, response, last };
};

/** Returns the outcome of an unreadable or missing response (D-25). */
export const classifyUnreadable = (
  last: Exchange,
  visible: boolean,
  credentials: SendContext['credentials'],
): StepOutcome => classifyUnanswered(last, { title: TITLE, platform: 'vk', visible, credentials });

/** Parses a JSON object; returns null for anything else. */
export const parseObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

/** Reads a response's `error`; returns null if it has none. */
export const readRefusal = (answer: Readonly<Record<string, unknown>> | null): VkRefusal | null => {
  const { error } = answer ?? {};
  if (!isObject(error) || typeof error['error_code'] !== 'number') return null;
  const { error_code: errorCode, error_msg: errorMsg } = error;
  return { errorCode, errorMsg: typeof errorMsg === 'string' ? errorMsg : '' };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
