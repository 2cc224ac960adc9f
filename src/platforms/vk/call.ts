import type { Dispatcher } from 'undici';
import { exchange, type Exchange } from '../exchange.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { outcomeWithoutAnswer } from '../unanswered-call.js';
import { classify, type VkRefusal } from './classify.js';

/** How calls reach VK. */
export interface VkConnection {
  /** What stands before `/method/…`, without a slash at the end. */
  readonly apiUrl: string;
  readonly connections: Dispatcher;
  /** Milliseconds for one call, answer included. */
  readonly timeoutMs: number;
  /** Milliseconds for one upload, answer included. */
  readonly uploadTimeoutMs: number;
}

/** One call of a method. */
export interface VkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Stands in the body and nowhere else. */
  readonly token: string;
  /** Whether readers would see what it does. */
  readonly visible: boolean;
}

/** What a method answered, or the outcome that its failure stands for. `last`: how the exchange ended. */
export type VkAnswer =
  | { readonly ok: true; readonly response: unknown; readonly last: Exchange }
  | { readonly ok: false; readonly outcome: StepOutcome };

/** The version of the API that the answers are read by. */
const VERSION = '5.199';

/** Calls a method; never throws. An answer is HTTP 200 whatever it says: `error` decides (D-41). */
export const callVk = async (
  { apiUrl, connections, timeoutMs }: VkConnection,
  { method, parameters, token, visible }: VkCall,
  { credentials, waits, signal }: Pick<SendContext, 'credentials' | 'waits' | 'signal'>,
): Promise<VkAnswer> => {
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
  const answer = last.kind === 'answered' ? objectOf(last.body) : null;
  const { response } = answer ?? {};
  const refusal = refusalIn(answer);
  if (refusal) return { ok: false, outcome: classify(refusal, { visible, waits, credentials }) };
  if (response === undefined || response === null)
    return { ok: false, outcome: unreadable(last, visible, credentials) };
  return { ok: true, response, last };
};

/** The outcome of an answer that cannot be read, or of none (D-25). */
export const unreadable = (last: Exchange, visible: boolean, credentials: SendContext['credentials']): StepOutcome =>
  outcomeWithoutAnswer(last, { title: 'VK', platform: 'vk', visible, credentials });

/** A JSON object; null for anything else. */
export const objectOf = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

/** What an answer's `error` says; null for an answer without. */
export const refusalIn = (answer: Readonly<Record<string, unknown>> | null): VkRefusal | null => {
  const { error } = answer ?? {};
  if (!isObject(error) || typeof error['error_code'] !== 'number') return null;
  const { error_code: errorCode, error_msg: errorMsg } = error;
  return { errorCode, errorMsg: typeof errorMsg === 'string' ? errorMsg : '' };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
