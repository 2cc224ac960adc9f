import type { NetworkConnection } from '../channel-check.js';
import { exchange, extractWords, parseObject, readRetryAfter } from '../exchange.js';
import type { SendContext } from '../publisher.js';
import { maskToken, type TelegramFailure } from './classify.js';

interface BotCall {
  /** Part of the URL, so it must have the format of a token. */
  readonly token: string;
  readonly method: string;
  readonly parameters: object;
}

type BotResponse =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: TelegramFailure };

/** Calls a method that takes no files; never throws. Masks the token if the response echoes it. */
export const callMethod = async (
  { apiUrl, connections, timeoutMs }: NetworkConnection,
  { token, method, parameters }: BotCall,
  { signal, holdsLease }: Pick<SendContext, 'signal' | 'holdsLease'>,
): Promise<BotResponse> => {
  const answer = await exchange(
    connections,
    {
      method: 'POST',
      url: `${apiUrl}/bot${token}/${method}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    },
    { timeoutMs, signal, holdsLease },
  );
  if (answer.kind !== 'answered') return { ok: false, failure: answer };
  const body = parseObject(answer.body) as RawAnswer | null;
  if (body?.ok === true) return { ok: true, result: body.result };
  const retryAfter = readRetryAfter(answer.headers);
  const fail = (failure: TelegramFailure): BotResponse => ({ ok: false, failure: maskToken(failure, token) });
  if (body?.ok !== false || typeof body.error_code !== 'number')
    return fail({ kind: 'unreadable', status: answer.status, retryAfter, says: extractWords(answer.body) });
  const { error_code: errorCode, description: words, parameters: more } = body;
  const description = typeof words === 'string' ? words : '';
  return fail({ kind: 'refused', method, errorCode, description, parameters: more ?? {}, retryAfter });
};

/** A Bot API response; a malformed response may lack any part. */
interface RawAnswer {
  readonly ok?: unknown;
  readonly result?: unknown;
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number | string };
}
