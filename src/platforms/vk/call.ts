import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, exchange, isObject, parseObject } from '../exchange.js';
import { classifyUnanswered, ErrorTable, type RefusedCall } from '../outcomes.js';
import type { SendContext, StepOutcome } from '../publisher.js';
import { VK_ERRORS } from './errors.js';
import { TITLE } from './limits.js';

const errors = new ErrorTable('vk', TITLE, VK_ERRORS);

/** VK's `{"error": …}`, sent with HTTP 200. */
export interface VkRefusal {
  readonly errorCode: number;
  readonly subcode?: number | undefined;
  readonly errorMsg: string;
}

/** Returns the outcome of a refusal (network-errors.md, D-20, D-25, D-26). */
export const classify = (
  { errorCode, subcode, errorMsg }: VkRefusal,
  call: RefusedCall,
  table: ErrorTable = errors,
): StepOutcome => table.classify({ codes: [errorCode], subcode, words: errorMsg }, call);

interface VkCall {
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Sent only in the body. */
  readonly token: string;
  /** True if readers would see its effect. */
  readonly visible: boolean;
  /** What refusals of this call mean; default: what they mean for posts. */
  readonly errors?: ErrorTable;
}

/** Result of a method call: its response, or the outcome of the step if it failed. `last` is the HTTP exchange. */
type VkResponse =
  | { readonly ok: true; readonly response: unknown; readonly last: Exchange }
  /** `errorCode`: VK's own; absent if VK did not answer. */
  | { readonly ok: false; readonly outcome: StepOutcome; readonly errorCode?: number };

/** VK API version. */
const VERSION = '5.199';

/** Calls a method; never throws. VK always responds with HTTP 200, so `error` decides (D-41). */
export const callVk = async (
  { apiUrl, connections, timeoutMs, countUnknown }: NetworkConnection,
  { method, parameters, token, visible, errors: table = errors }: VkCall,
  { credentials, waits, signal, holdsLease }: Pick<SendContext, 'credentials' | 'waits' | 'signal' | 'holdsLease'>,
): Promise<VkResponse> => {
  const last = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/method/${method}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...parameters, access_token: token, v: VERSION }).toString(),
    },
    { timeoutMs, signal, holdsLease },
  );
  const answer = last.kind === 'answered' ? parseObject(last.body) : null;
  const { response } = answer ?? {};
  const refusal = readRefusal(answer);
  if (refusal) {
    const outcome = classify(refusal, { visible, waits, credentials, countUnknown }, table);
    return { ok: false, outcome, errorCode: refusal.errorCode };
  }
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

/** Reads a response's `error`; returns null if it has none. */
export const readRefusal = (answer: Readonly<Record<string, unknown>> | null): VkRefusal | null => {
  const { error } = answer ?? {};
  if (!isObject(error) || typeof error['error_code'] !== 'number') return null;
  const { error_code: errorCode, error_msg: errorMsg, error_subcode: subcode } = error;
  return {
    errorCode,
    ...(typeof subcode === 'number' && { subcode }),
    errorMsg: typeof errorMsg === 'string' ? errorMsg : '',
  };
};
